import {describe, expect, it} from 'vitest';
import {nodeType} from '../../../src/sim/api/resource-types.js';
import {portNames} from '../../../src/sim/node/ovs.js';
import {rows} from '../../../src/sim/node/state.js';
import {deleteBridge} from '../../../src/sim/plans/ovs-rows.js';
import {bringUp, Lab, names, rebooted, runServices} from './support.js';

describe('kube-ovn', () => {
  it('waits for ovs-vswitchd, then builds the network; tunnels and pods follow with ovn-controller', () => {
    const scene = rebooted('kube-ovn-reboot');
    const {lab, node, state} = scene;
    expect(lab.startAgent(node)).toMatchObject({ready: false});
    for (const bridge of ['br-int', 'br-provider']) deleteBridge(state, bridge);
    runServices(state, lab.now, 'ovs-vswitchd', 'kube-ovn');
    expect(lab.startAgent(node)).toMatchObject({ready: true});
    expect(names(state, 'hnsNetworks')).toEqual(['kube-ovn']);
    expect(portNames(state.sections.ovs).filter(port => port.startsWith('ovn-'))).toEqual([]);
    expect(lab.startPods(node)).not.toEqual([]);
    runServices(state, lab.now, 'ovn-controller');
    expect(bringUp(scene)).toEqual([]);
    expect(rows(state, 'netIPAddresses').find(({IPAddress}) => IPAddress === lab.plan(node).address)).toMatchObject({
      InterfaceAlias: 'br-provider',
    });
  });

  it('exits if the annotation names no adapter, and uses the one that it names', () => {
    const lab = new Lab('kube-ovn');
    const annotate = (adapter: string) => {
      const object = lab.world.store.get(nodeType, undefined, 'kovn-win-1');
      const annotations = {...object.metadata.annotations, 'ovn.kubernetes.io/tunnel_interface': adapter};
      lab.world.store.update(nodeType, {...object, metadata: {...object.metadata, annotations}});
    };
    annotate('Ethernet7');
    expect(lab.startAgent('kovn-win-1')).toMatchObject({ready: false, why: expect.stringContaining('Ethernet7')});
    expect(names(lab.state('kovn-win-1'), 'processes')).not.toContain('kube-ovn-daemon.exe');
    annotate('Ethernet0');
    expect(lab.startAgent('kovn-win-1')).toMatchObject({ready: true});
    expect(JSON.stringify(lab.state('kovn-win-1').sections.ovs)).toContain('"ovn-encap-ip","172.20.5.31"');
  });
});
