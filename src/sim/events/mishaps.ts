import {nodeType} from '../api/resource-types.js';
import {isObject} from '../json.js';
import {ovsExtension} from '../node/hns.js';
import {failSection, type NodeState, rows, setRows} from '../node/state.js';
import {dashed} from '../random.js';
import type {EventContext} from './world.js';

/** The Open vSwitch extension is loaded but not enabled on the switch: no errors, but no traffic. */
export function ovsExtensionOff({node}: EventContext): void {
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

/** HNS accepts calls and never answers them; its threads accumulate. */
export function hnsHangs({node}: EventContext): void {
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

/** The Kube-OVN annotation names an adapter that the node does not have. */
export function tunnelAnnotationWrong({world, node}: EventContext): void {
  const object = world.store.get(nodeType, undefined, node.name);
  const annotations = {...object.metadata.annotations, 'ovn.kubernetes.io/tunnel_interface': 'Ethernet7'};
  world.store.update(nodeType, {...object, metadata: {...object.metadata, annotations}});
}

/** The network was recreated with a different router MAC, but the annotation that peers read was not updated. */
export function vtepMacChanged({node, plan}: EventContext): void {
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

/** The network that only keeps the switch was removed; the pod network still uses the switch. */
export function externalNetworkRemoved({node}: EventContext): void {
  node.change(state => {
    setRows(
      state,
      'hnsNetworks',
      rows(state, 'hnsNetworks').filter(({Name}) => Name !== 'External'),
    );
  });
}
