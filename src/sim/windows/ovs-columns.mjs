// Default values of conf.db columns, by their type in vswitch.ovsschema.
const numbers = [
  'bond_downdelay',
  'bond_updelay',
  'cur_cfg',
  'ingress_policing_burst',
  'ingress_policing_kpkts_burst',
  'ingress_policing_kpkts_rate',
  'ingress_policing_rate',
  'next_cfg',
];
const flags = [
  'bond_fake_iface',
  'dpdk_initialized',
  'fake_bridge',
  'mcast_snooping_enable',
  'protected',
  'rstp_enable',
  'stp_enable',
];
const texts = ['datapath_type', 'datapath_version', 'name', 'type'];
const maps = [
  'bfd',
  'bfd_status',
  'datapaths',
  'external_ids',
  'flow_tables',
  'lldp',
  'options',
  'other_config',
  'rstp_statistics',
  'rstp_status',
  'statistics',
  'status',
];

/**
 * @param {string} column
 * @returns {unknown}
 */
export function unset(column) {
  if (numbers.includes(column)) return 0;
  if (flags.includes(column)) return false;
  if (texts.includes(column)) return '';
  return [maps.includes(column) ? 'map' : 'set', []];
}
