import {expect, test} from 'vitest';
import {but, setFile, winBridgeAfterReboot, withConf} from '../../repair/scenes.js';
import {failing, order} from '../../repair/support.js';

function overlay() {
  const scene = withConf(winBridgeAfterReboot(), 'win-overlay', 'l2bridge');
  return but(scene, node => {
    for (const row of node.sections.hnsNetworks) row.Type = 'Overlay';
    setFile(node, 'C:\\k\\sourceVip.json', {Content: '{"ip4":{"ip":"10.190.9.2/24"}}'});
  });
}

test('a source VIP of another subnet is removed, and kube-proxy restarts', () => {
  const plan = overlay().plan({}, [failing('kube-proxy/source-vip')]);
  expect(plan.level).toBe('medium');
  expect(order(plan)).toEqual([
    'file.remove C:\\var\\lib\\cni\\networks\\l2bridge\\10.190.6.77',
    'file.remove C:\\k\\sourceVip.json',
    'service.restart kube-proxy',
  ]);
});

test('a missing network needs manual action: nothing on the node creates it', () => {
  expect(overlay().outcome({}, [failing('hns/network-type')]).kind).toBe('nothing');
});
