import {describe, expect, it} from 'vitest';
import {healthy} from '../support.js';

const setMtu = (mtu: number) => (interfaces: {InterfaceAlias: string; NlMtu: number}[]) => {
  for (const its of interfaces) if (its.InterfaceAlias === 'vEthernet (Ethernet)') its.NlMtu = mtu;
};

describe('tunnel/mtu-path', () => {
  it('names the node whose adapter sends larger packets than those of its peers', () => {
    const overlay = healthy('06-flannel-overlay-healthy').section('netIPInterfaces', setMtu(9000), 'fl-win-b');
    const [message] = overlay.failures('tunnel/mtu-path');
    expect(message).toMatch(/9000/);
    expect(message).toMatch(/fl-win-b/);
  });

  it('accepts jumbo frames where every node has them', () => {
    const overlay = healthy('06-flannel-overlay-healthy')
      .section('netIPInterfaces', setMtu(9000), 'fl-win-a')
      .section('netIPInterfaces', setMtu(9000), 'fl-win-b');
    expect(overlay.outcomes('tunnel/mtu-path')).toEqual(['pass']);
  });

  const calicoWith = (mtu: number) =>
    healthy('09-calico-vxlan-healthy').object('Installation', 'default', installation => {
      installation.spec.calicoNetwork.mtu = mtu;
    });

  it('finds an MTU that was lowered only for Linux nodes', () => {
    expect(calicoWith(1350).failures('tunnel/mtu-path')).toEqual([expect.stringMatching(/cal-win-1, cal-win-2/)]);
  });

  it('accepts the MTU that fits the adapters', () => {
    expect(calicoWith(1450).outcomes('tunnel/mtu-path')).toEqual(['pass']);
  });
});
