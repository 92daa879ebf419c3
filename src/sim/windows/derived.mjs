// What HNS, VFP and ovs-vswitchd report about a node's endpoints and bridges. Computed on every read so that it follows
// the pods; a section in the state takes precedence.

/** @typedef {{[key: string]: any}} Row */

/**
 * @param {Row} sections
 * @param {string} name
 * @returns {Row[]}
 */
const rows = (sections, name) => (Array.isArray(sections[name]) ? sections[name] : []);

/**
 * One namespace per pod compartment, with its endpoints.
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
 * VFP has a port for every endpoint on its networks. Transparent networks use another extension.
 * @param {Row} sections
 * @returns {Row[]}
 */
function vfpPorts(sections) {
  const networks = rows(sections, 'hnsNetworks').filter(({Type}) => !/^(transparent|nat)$/i.test(String(Type)));
  return networks.flatMap(network =>
    rows(sections, 'hnsEndpoints')
      .filter(({VirtualNetwork, IsRemoteEndpoint}) => VirtualNetwork === network.ID && IsRemoteEndpoint !== true)
      .map(endpoint => ({
        // A port has its own ID; here it is the reversed endpoint ID.
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
 * ovs-vswitchd holds the flows: without it there are none, and after a boot there are none until the agent is running.
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
const noForwarder = bridge => `ovs-ofctl.exe failed with exit code 1: ovs-ofctl: ${bridge} is not a bridge or a socket`;

/** @type {Record<string, {from: string, rows: (sections: Row) => Row[]}>} */
const derivations = {
  hnsNamespaces: {from: 'hnsEndpoints', rows: namespaces},
  vfpPorts: {from: 'hnsEndpoints', rows: vfpPorts},
  ovsFlows: {from: 'ovs', rows: ovsFlows},
};

/** The computed sections. */
export const derivedSections = Object.keys(derivations);

/**
 * A section from the state, or computed; undefined if it is neither.
 * @param {Row} sections
 * @param {string} name
 * @returns {unknown}
 */
export function derived(sections, name) {
  return sections[name] ?? derivations[name]?.rows(sections);
}

/**
 * Why a section, or the section it is computed from, cannot be read.
 * @template Failure
 * @param {Record<string, Failure>} errors
 * @param {string} name
 * @returns {Failure | undefined}
 */
export function failureOf(errors, name) {
  return errors[name] ?? errors[derivations[name]?.from ?? name];
}
