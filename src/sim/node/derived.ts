import {isObject, type JsonObject, textAt} from '../json.js';
import {type NodeState, rows} from './state.js';

/** A node with what HNS, VFP and containerd say of the same things in their own words. */
export function withDerived(state: NodeState): NodeState {
  return {
    errors: state.errors,
    sections: {
      ...state.sections,
      hnsNamespaces: namespaces(state),
      hnsPortPools: [{PortPoolAllocations: []}],
      vfpPorts: vfpPorts(state),
      containerd: containerd(state),
    },
  };
}

/** One for each pod's compartment, with the endpoints in it. */
function namespaces(state: NodeState): JsonObject[] {
  const inside = rows(state, 'hnsEndpoints').filter(({Namespace}) => isObject(Namespace) && 'ID' in Namespace);
  const byId = Map.groupBy(inside, ({Namespace}) => textAt(Namespace as JsonObject, 'ID'));
  return [...byId].map(([ID, endpoints], index) => ({
    ID,
    CompartmentId: index + 2,
    IsDefault: false,
    ResourceList: endpoints.map(endpoint => ({Type: 'Endpoint', Data: {Id: textAt(endpoint, 'ID')}})),
  }));
}

/** VFP has a port for every endpoint on its networks; those on a transparent network are of another extension. */
function vfpPorts(state: NodeState): JsonObject[] {
  const networks = rows(state, 'hnsNetworks').filter(({Type}) => !/^(transparent|nat)$/i.test(String(Type)));
  return networks.flatMap(network =>
    rows(state, 'hnsEndpoints')
      .filter(({VirtualNetwork, IsRemoteEndpoint}) => VirtualNetwork === network.ID && IsRemoteEndpoint !== true)
      .map(endpoint => ({
        // The port has an id of its own; here that of its endpoint, turned round.
        Name: [...textAt(endpoint, 'ID').replaceAll('-', '')]
          .reverse()
          .join('')
          .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
        FriendlyName: textAt(endpoint, 'ID'),
        SwitchName: textAt(network, 'LayeredOn'),
        MacAddress: textAt(endpoint, 'MacAddress'),
        Enabled: true,
        Blocked: false,
      })),
  );
}

function containerd(state: NodeState): JsonObject {
  const file = rows(state, 'files').find(({Path}) => /\\config\.toml$/.test(String(Path)));
  const value = (key: string) => new RegExp(`^ *${key} = '(.*)'$`, 'm').exec(String(file?.Content))?.[1];
  return {Config: '', ConfDir: value('conf_dir') ?? null, BinDirs: [value('bin_dir')].filter(Boolean)};
}
