import {nodeType} from '../api/resource-types.js';
import {isObject} from '../json.js';
import {ovsExtension} from '../node/hns.js';
import {failSection, type NodeState, rows, setRows} from '../node/state.js';
import {dashed} from '../random.js';
import type {Happening} from './world.js';

/** The Open vSwitch extension is loaded and not bound to the switch: no error anywhere, and no traffic. */
export function ovsExtensionOff({node}: Happening): void {
  node.change(state => {
    setRows(
      state,
      'vmSwitchExtensions',
      rows(state, 'vmSwitchExtensions').map(row => (row.Id === ovsExtension ? {...row, Enabled: false} : row)),
    );
    setRows(
      state,
      'hnsNetworks',
      rows(state, 'hnsNetworks').map(network => ({
        ...network,
        Extensions: (Array.isArray(network.Extensions) ? network.Extensions.filter(isObject) : []).map(extension =>
          extension.Id === ovsExtension ? {...extension, IsEnabled: false} : extension,
        ),
      })),
    );
  });
}

const threads = 1317;

/** HNS takes calls and never answers them; its threads pile up. */
export function hnsHangs({node}: Happening): void {
  node.change(state => {
    const calls = {hnsNetworks: '/networks', hnsEndpoints: '/endpoints', hnsPolicyLists: '/policylists'};
    for (const [section, call] of Object.entries(calls)) {
      failSection(state, section, 'Timeout', `HNS did not answer GET ${call} within 30 s`);
    }
    failSection(state, 'hnsService', 'Timeout', 'HNS did not answer GET /endpointstats within 5 s');
    setRows(
      state,
      'processes',
      rows(state, 'processes').map(row => (row.Service === 'hns' ? {...row, ThreadCount: threads} : row)),
    );
  });
}

/** Someone wrote an adapter into Kube-OVN's annotation that the node does not have. */
export function tunnelAnnotationWrong({world, node}: Happening): void {
  const object = world.store.get(nodeType, undefined, node.name);
  const annotations = {...object.metadata.annotations, 'ovn.kubernetes.io/tunnel_interface': 'Ethernet7'};
  world.store.update(nodeType, {...object, metadata: {...object.metadata, annotations}});
}

/** The network was recreated with another router MAC, and the annotation that peers read was not. */
export function vtepMacChanged({node, plan}: Happening): void {
  const mac = dashed(plan.random.for('vtep-after').mac('00:15:5d'));
  node.change((state: NodeState) => {
    setRows(
      state,
      'hnsNetworks',
      rows(state, 'hnsNetworks').map(network =>
        /^flannel\./.test(String(network.Name)) ? {...network, DrMacAddress: mac} : network,
      ),
    );
  });
}

/** Someone removed the network that only keeps the switch; the pods' own network still holds it. */
export function externalNetworkRemoved({node}: Happening): void {
  node.change(state => {
    setRows(
      state,
      'hnsNetworks',
      rows(state, 'hnsNetworks').filter(({Name}) => Name !== 'External'),
    );
  });
}
