import {at, isObject, type JsonObject, listAt} from '../../json.js';
import {addRows, removeRows} from '../../node/edit.js';
import {extensionsOf, ovsExtension} from '../../node/hns.js';
import {releases} from '../../node/release.js';
import {addressOwner, type NodeState, rows} from '../../node/state.js';
import {addNetwork, removeEndpoint, uplinkOf} from '../../node/switch.js';
import {dropNetwork, restoreNicName} from '../consequences.js';
import {isOvsNetwork} from '../leftovers.js';
import {answered, blocked, type Host, type StepKind, same} from '../step.js';

const withId = (state: NodeState, section: string, id: string): JsonObject | undefined =>
  answered(state, section).find(row => same(row.ID, id));

export const removeNetworkStep: StepKind<'hns.removeNetwork'> = {
  atBoot: false,
  inspect({state}, {id, name, endpoints = []}) {
    const network = withId(state, 'hnsNetworks', id);
    if (!network) return {done: true, about: `HNS network ${id} does not exist.`};
    const unknown = answered(state, 'hnsEndpoints').filter(
      endpoint => isAttached(endpoint, id) && !endpoints.some(known => same(known, endpoint.ID)),
    );
    const names = unknown.map(({Name}) => Name).join(', ');
    const wrongName = `The HNS network with id ${id} is called '${network.Name}', not '${name}'.`;
    return {
      done: false,
      about: `HNS network ${network.Name} of type ${network.Type} exists.`,
      saved: {network, vnic: managementNic(state, network)},
      ...(!same(network.Name, name) && {blocked: wrongName}),
      ...(names && {
        blocked: `The plan does not know of endpoints that are attached to network ${network.Name}: ${names}.`,
      }),
    };
  },
  apply({state}, {id}) {
    const network = withId(state, 'hnsNetworks', id);
    if (network) dropNetwork(state, network);
  },
  undo({state, random}, _, saved) {
    const network = at(saved, 'network');
    // Without bridge and flows nothing passes the new switch, so the node keeps its plain NIC.
    if (!isObject(network) || isOvsNetwork(network)) return;
    const fresh = {ID: random.guid(), LayeredOn: random.guid(), CurrentEndpointCount: 0, State: 1};
    if (!answered(state, 'hnsNetworks').some(({Name}) => same(Name, network.Name)))
      addNetwork(state, {...structuredClone(network), ...fresh}, random);
    const vnic = at(saved, 'vnic');
    if (isObject(vnic)) restoreNicName(state, String(vnic.name), vnic.macAddress);
  },
};

/** The vNIC with the node's address on this network. Antrea and Kube-OVN rename it. */
function managementNic(state: NodeState, {ManagementIP}: JsonObject): JsonObject | null {
  const [address = ''] = String(ManagementIP ?? '').split('/');
  const owner = addressOwner(state, address);
  const adapter = rows(state, 'netAdapters').find(({Name}) => Name === owner);
  return adapter?.Virtual === true ? {name: adapter.Name, macAddress: adapter.MacAddress} : null;
}

/** The network that microsoft/SDN's setup scripts create once on every overlay node. */
const external = {
  Name: 'External',
  Type: 'Overlay',
  Subnets: [
    {AddressPrefix: '192.168.255.0/30', GatewayAddress: '192.168.255.1', Policies: [{Type: 'VSID', VSID: 9999}]},
  ],
};

/** A new switch has the extensions of the machine. VFP forwards for an overlay; OVS must be enabled explicitly. */
function newSwitchExtensions(state: NodeState): JsonObject[] {
  const known = rows(state, 'vmSwitchExtensions');
  const like = known.filter(({SwitchName}) => SwitchName === known[0]?.SwitchName);
  if (like.length > 0)
    return like.map(({Id, Name, ExtensionType, Enabled}) => ({
      ...{Id, Name},
      IsEnabled: ExtensionType === 'Forwarding' ? Id !== ovsExtension : Enabled,
    }));
  const release = at(state.sections, 'os', 'BuildNumber') === releases['2019'].build ? '2019' : '2022';
  const hasOvs = at(state.sections, 'drivers', 'ovsext', 'Installed') === true;
  return extensionsOf(releases[release], 'vfp', hasOvs).map(({id, name, enabled}) => ({
    ...{Id: id, Name: name},
    IsEnabled: enabled,
  }));
}

export const createExternalStep: StepKind<'hns.createExternal'> = {
  atBoot: false,
  inspect({state}, {adapter}) {
    const there = answered(state, 'hnsNetworks').some(({Name}) => same(Name, external.Name));
    const found = rows(state, 'netAdapters').find(({Name}) => same(Name, adapter));
    const about = `HNS network External exists: ${there ? 'True' : 'False'}.`;
    if (there) return {done: true, saved: {existed: true}, about};
    if (!found) return blocked(`Adapter ${adapter} does not exist.`);
    if (found.HardwareInterface !== true) return blocked(`Adapter ${adapter} is not physical.`);
    return {done: false, saved: {existed: false}, about};
  },
  apply({state, random}, {adapter}) {
    const uplink = rows(state, 'netAdapters').find(({Name}) => same(Name, adapter));
    const nic = rows(state, 'netAdapters').find(
      ({Virtual, MacAddress}) => Virtual === true && MacAddress === uplink?.MacAddress,
    );
    const holder = nic ?? uplink;
    const isManagement = (row: JsonObject) => row.InterfaceAlias === holder?.Name && row.AddressFamily === 'IPv4';
    const address = rows(state, 'netIPAddresses').find(isManagement)?.IPAddress;
    const sharing = rows(state, 'hnsNetworks').find(network => uplinkOf(state, network)?.Name === uplink?.Name && nic);
    const network = {
      ...structuredClone(external),
      Extensions: newSwitchExtensions(state),
      ID: random.guid(),
      LayeredOn: sharing?.LayeredOn ?? random.guid(),
      NetworkAdapterName: adapter,
      ...(address !== undefined && {ManagementIP: address}),
      CurrentEndpointCount: 0,
      MaxConcurrentEndpoints: 0,
      TotalEndpoints: 0,
      State: 1,
    };
    addNetwork(state, network, random);
  },
  undo({state}, _, saved) {
    if (saved == null || at(saved, 'existed') === true) return;
    const network = rows(state, 'hnsNetworks').find(({Name}) => same(Name, external.Name));
    if (network) dropNetwork(state, network);
  },
};

/** State 2 is attached, 3 attached and shared: a container uses it. Remote endpoints belong to pods on other nodes. */
const isAttached = ({VirtualNetwork, IsRemoteEndpoint, State}: JsonObject, network: string): boolean =>
  same(VirtualNetwork, network) && IsRemoteEndpoint !== true && (State === 2 || State === 3);

export const removeEndpointStep: StepKind<'hns.removeEndpoint'> = {
  atBoot: false,
  inspect({state}, {id}) {
    const endpoint = withId(state, 'hnsEndpoints', id);
    if (!endpoint) return {done: true, about: `HNS endpoint ${id} does not exist.`};
    return {done: false, saved: endpoint, about: `HNS endpoint ${endpoint.Name} exists.`};
  },
  apply({state}, {id}) {
    const endpoint = withId(state, 'hnsEndpoints', id);
    if (endpoint) removeEndpoint(state, endpoint);
  },
  undo({state, random}, _, saved) {
    if (!isObject(saved)) return;
    const isIt = (row: JsonObject) => same(row.Name, saved.Name) && row.IPAddress === saved.IPAddress;
    if (rows(state, 'hnsEndpoints').some(isIt)) return;
    // Its network may have been recreated with a new ID. HNS creates no endpoint without a network.
    const networks = answered(state, 'hnsNetworks');
    const network =
      networks.find(({ID}) => same(ID, saved.VirtualNetwork)) ??
      networks.find(({Name}) => same(Name, saved.VirtualNetworkName));
    if (!network) return;
    const {SharedContainers: _containers, Namespace: _namespace, ...definition} = saved;
    addRows(state, 'hnsEndpoints', {...definition, ID: random.guid(), VirtualNetwork: network.ID, State: 1});
  },
};

export const removePolicyListsStep: StepKind<'hns.removePolicyLists'> = {
  atBoot: true,
  inspect({state}, {ids}) {
    const lists = planned(state, ids);
    const saved = lists.map(({ID, References, Policies}) => ({ID, References, Policies}));
    return {done: lists.length === 0, saved, about: `${lists.length} HNS policy lists are to be removed.`};
  },
  apply({state}, {ids}) {
    const lists = planned(state, ids);
    removeRows(state, 'hnsPolicyLists', row => lists.includes(row));
  },
  undo: bringBack,
};

function planned(state: NodeState, ids: readonly string[] | undefined): JsonObject[] {
  return answered(state, 'hnsPolicyLists').filter(({ID}) => !ids || ids.some(id => same(id, ID)));
}

/** Restores only lists whose endpoints still exist; kube-proxy recreates all of them when it starts. */
function bringBack({state, random}: Host, _: unknown, saved: unknown): void {
  const endpoints = new Set(rows(state, 'hnsEndpoints').map(({ID}) => `/endpoints/${ID}`.toLowerCase()));
  const there = new Set(rows(state, 'hnsPolicyLists').map(textOf));
  for (const list of listAt({saved}, 'saved').filter(isObject)) {
    const references = listAt(list, 'References').map(reference => String(reference).toLowerCase());
    if (there.has(textOf(list)) || references.some(reference => !endpoints.has(reference))) continue;
    addRows(state, 'hnsPolicyLists', {...list, ID: random.guid(), State: 2});
  }
}

const textOf = (list: JsonObject): string => JSON.stringify([listAt(list, 'References'), listAt(list, 'Policies')]);
