import {describe, expect, it} from 'vitest';
import {nodeType} from '../../../src/sim/api/resource-types.js';
import {listAt} from '../../../src/sim/json.js';
import {rows} from '../../../src/sim/node/state.js';
import {bringUp, names, rebooted} from './support.js';

describe('The hybrid overlay', () => {
  it('keeps its base network over a boot, and recreates its own when it is restarted', () => {
    const scene = rebooted('hybrid-overlay-reboot');
    expect(names(scene.state, 'hnsNetworks')).toEqual(['BaseOVNKubernetesHybridOverlayNetwork']);
    expect(scene.lab.startKubeProxy(scene.node)).toMatchObject({
      ready: false,
      why: expect.stringContaining('OVNKubernetesHybridOverlayNetwork'),
    });
    expect(bringUp(scene)).toEqual([]);
    const layers = rows(scene.state, 'hnsNetworks').map(({LayeredOn}) => LayeredOn);
    expect(layers).toHaveLength(2);
    expect(new Set(layers).size).toBe(1);
  });

  it('waits for its subnet', () => {
    const {lab, node} = rebooted('hybrid-overlay-reboot');
    const {store} = lab.world;
    const object = store.get(nodeType, undefined, node);
    store.update(nodeType, {...object, metadata: {...object.metadata, annotations: {}}});
    expect(lab.startAgent(node)).toMatchObject({
      ready: false,
      why: expect.stringContaining('hybrid-overlay-node-subnet'),
    });
    const failed = lab.doctor().filter(finding => finding.node === node && finding.outcome === 'fail');
    expect(failed.map(({id}) => id)).toContain('cni/hybrid-overlay-subnet');
  });

  it('publishes its new router to its peers', () => {
    const {lab, node} = rebooted('hybrid-overlay-reboot');
    const [other = ''] = lab.others;
    lab.startAgent(node);
    const mac = lab.world.store.get(nodeType, undefined, node).metadata.annotations?.[
      'k8s.ovn.org/hybrid-overlay-distributed-router-gateway-mac'
    ];
    const network = rows(lab.state(other), 'hnsNetworks').find(({Name}) => String(Name).startsWith('OVN'));
    expect(listAt(network, 'Policies')).toContainEqual(
      expect.objectContaining({DestinationPrefix: lab.plan(node).podCIDR, DistributedRouterMacAddress: mac}),
    );
  });
});
