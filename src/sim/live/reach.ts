import type {JsonObject} from '../json.js';
import {ovsExtension} from '../node/hns.js';
import {addressOwner, type NodeState, rows} from '../node/state.js';
import {bridges} from '../plans/ovs-rows.js';
import {same} from '../plans/step.js';

/** Why the node cannot send or receive packets. Undefined: it can. */
export function unreachable(state: NodeState, address: string): string | undefined {
  const owner = addressOwner(state, address);
  const adapter = rows(state, 'netAdapters').find(({Name}) => Name === owner);
  if (!adapter) return `No adapter has address ${address}.`;
  const isBound = (name: unknown, component: string) =>
    rows(state, 'adapterBindings').find(row => row.Name === name && row.ComponentID === component)?.Enabled !== false;
  if (adapter.Virtual !== true)
    return isBound(owner, 'ms_tcpip') ? undefined : `Adapter ${owner} has no TCP/IP bound to it.`;
  const uplink = rows(state, 'netAdapters').find(
    row => row.HardwareInterface === true && row.MacAddress === adapter.MacAddress,
  );
  if (!uplink) return undefined;
  if (!isBound(uplink.Name, 'vms_pp')) return `Adapter ${uplink.Name} is bound to no switch.`;
  return passesOvs(state, uplink) ? ovsFault(state, String(owner), String(uplink.Name)) : undefined;
}

/** If the extension is enabled, OVS also handles the packets of the host. */
function passesOvs(state: NodeState, uplink: JsonObject): boolean {
  const switches = rows(state, 'vmSwitches')
    .filter(row => row.NetAdapterInterfaceDescription === uplink.InterfaceDescription)
    .map(({Name}) => Name);
  return rows(state, 'vmSwitchExtensions').some(
    row => switches.includes(row.SwitchName) && same(row.Id, ovsExtension) && row.Enabled === true,
  );
}

function ovsFault(state: NodeState, adapter: string, uplink: string): string | undefined {
  const service = rows(state, 'services').find(({Name}) => Name === 'ovs-vswitchd');
  const runs = service
    ? service.State === 'Running'
    : rows(state, 'processes').some(({Name}) => Name === 'ovs-vswitchd.exe');
  if (!runs) return 'The OVS extension is on, and ovs-vswitchd does not run.';
  const carries = bridges(state).some(({ports}) => ports.includes(adapter) && ports.includes(uplink));
  return carries ? undefined : `No OVS bridge connects ${adapter} with ${uplink}.`;
}
