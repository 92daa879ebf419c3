import {expect, test} from 'vitest';
import {winBridgeAfterReboot, withConf} from '../../repair/scenes.js';
import {failing, order} from '../../repair/support.js';

test('routes of AddRoutes.ps1 are restored on the adapter with the node address', () => {
  const results = [failing('net/peer-routes', {evidence: [{section: 'netRoutes', object: '10.190.0.0/24', seen: []}]})];
  const plan = withConf(winBridgeAfterReboot(), 'wincni.exe', 'l2bridge').plan({}, results);
  expect(order(plan)).toContain('route.add 10.190.0.0/24');
  expect(plan.steps.find(step => step.do === 'route.add')?.with).toEqual({
    destination: '10.190.0.0/24',
    nextHop: '10.11.200.8',
    adapter: 'vEthernet (Ethernet)',
  });
});
