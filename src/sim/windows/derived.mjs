// What HNS, VFP and ovs-vswitchd say of a node's endpoints and bridges in their own words. Worked out whenever someone asks,
// so that it follows the pods; a state that has such a section itself is returned unchanged.

/** @typedef {{[key: string]: any}} Row */

/**
 * @param {Row} sections
 * @param {string} name
 * @returns {Row[]}
 */
const rows = (sections, name) => (Array.isArray(sections[name]) ? sections[name] : []);

/**
 * One for each pod's compartment, with the endpoints in it.
 * @param {Row} sections
 * @returns {Row[]}
 */
function namespaces(sections) {
  const inside = rows(sections, 'hnsEndpoints').filter(({Namespace}) => Namespace?.ID);
  const byId = Map.groupBy(inside, ({Namespace}) => String(Namespace.ID));
  return [...byId]
    .sort(([one], [other]) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1))
    .map(([ID, endpoints], index) => ({
      ID,
      CompartmentId: index + 2,
      IsDefault: false,
      ResourceList: endpoints.map(endpoint => ({Type: 'Endpoint', Data: {Id: String(endpoint.ID)}})),
    }));
}

/**
 * VFP has a port for every endpoint on its networks; those on a transparent network are of another extension.
 * @param {Row} sections
 * @returns {Row[]}
 */
function vfpPorts(sections) {
  const networks = rows(sections, 'hnsNetworks').filter(({Type}) => !/^(transparent|nat)$/i.test(String(Type)));
  return networks.flatMap(network =>
    rows(sections, 'hnsEndpoints')
      .filter(({VirtualNetwork, IsRemoteEndpoint}) => VirtualNetwork === network.ID && IsRemoteEndpoint !== true)
      .map(endpoint => ({
        // The port has its own id; here that of its endpoint, turned round.
        Name: [...String(endpoint.ID).replaceAll('-', '')]
          .reverse()
          .join('')
          .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
        FriendlyName: String(endpoint.ID),
        SwitchName: network.LayeredOn ?? '',
        MacAddress: endpoint.MacAddress ?? '',
        Enabled: true,
        Blocked: false,
      })),
  );
}

/**
 * Flows live in ovs-vswitchd: without it there are none to count, and after a boot it has none until the agent is back.
 * @param {Row} sections
 * @returns {Row[]}
 */
function ovsFlows(sections) {
  const {headings = [], data = []} = sections.ovs?.Tables?.Bridge ?? {};
  const runs = rows(sections, 'processes').some(({Name}) => Name === 'ovs-vswitchd.exe');
  return data.map((/** @type {any[]} */ cells) => {
    const cell = (/** @type {string} */ column) => cells[headings.indexOf(column)];
    const Bridge = String(cell('name'));
    if (!runs) return {Bridge, Error: noForwarder(Bridge)};
    const isUp = typeof cell('datapath_id') === 'string';
    const ports = Array.isArray(cell('ports')?.[1]) ? cell('ports')[1].length : 1;
    const Tables = isUp
      ? [
          {Table: 0, Flows: 3 + ports},
          {Table: 10, Flows: 2 * ports},
          {Table: 70, Flows: 5},
          {Table: 110, Flows: 2},
        ]
      : [];
    return {Bridge, Flows: Tables.reduce((sum, {Flows}) => sum + Flows, 0), Tables};
  });
}

/** @param {string} bridge */
const noForwarder = bridge => `ovs-ofctl.exe ended with exit code 1: ovs-ofctl: ${bridge} is not a bridge or a socket`;

/** @type {Record<string, {from: string, rows: (sections: Row) => Row[]}>} */
const derivations = {
  hnsNamespaces: {from: 'hnsEndpoints', rows: namespaces},
  vfpPorts: {from: 'hnsEndpoints', rows: vfpPorts},
  ovsFlows: {from: 'ovs', rows: ovsFlows},
};

/** The names of the sections that are worked out. */
export const derivedSections = Object.keys(derivations);

/**
 * A section as it is returned, or undefined if it is not one of these.
 * @param {Row} sections
 * @param {string} name
 * @returns {unknown}
 */
export function derived(sections, name) {
  return sections[name] ?? derivations[name]?.rows(sections);
}

/**
 * Why a section cannot be read: what it is worked out from cannot.
 * @template Failure
 * @param {Record<string, Failure>} errors
 * @param {string} name
 * @returns {Failure | undefined}
 */
export function failureOf(errors, name) {
  return errors[name] ?? errors[derivations[name]?.from ?? name];
}
