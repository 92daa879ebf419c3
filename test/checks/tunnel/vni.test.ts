import {describe, expect, it} from 'vitest';
import {healthy} from '../support.js';

const backend = 'flannel.alpha.coreos.com/backend-data';
const lease = (vni: number) => JSON.stringify({VNI: vni, VtepMAC: '5e:91:c6:0a:fc:ba'});

describe('tunnel/vni', () => {
  it('finds a Linux node with a different Flannel VNI, and names both VNIs and their nodes', () => {
    const overlay = healthy('06-flannel-overlay-healthy').object('Node', 'fl-master', node => {
      node.metadata.annotations[backend] = lease(1);
    });
    const [message] = overlay.failures('tunnel/vni');
    expect(message).toMatch(/1 \(fl-master\)/);
    expect(message).toMatch(/4096 \(fl-win-a, fl-win-b\)/);
  });

  it('accepts any VNI from 4096 that all nodes share', () => {
    const overlay = healthy('06-flannel-overlay-healthy').object('Node', /^fl-/, node => {
      node.metadata.annotations[backend] = node.metadata.annotations[backend].replace('4096', '5000');
    });
    for (const node of ['fl-win-a', 'fl-win-b'])
      overlay.section(
        'hnsNetworks',
        networks => {
          const network = networks.find((its: {Name: string}) => its.Name === 'flannel.4096');
          network.Subnets[0].Policies[0].VSID = 5000;
        },
        node,
      );
    expect(overlay.outcomes('tunnel/vni')).toEqual(['pass']);
  });

  it('finds a VNI that HNS truncates to 16 bits', () => {
    const overlay = healthy('06-flannel-overlay-healthy')
      .object('Node', /^fl-/, node => {
        node.metadata.annotations[backend] = lease(70_000);
      })
      .without('hnsNetworks');
    expect(overlay.failures('tunnel/vni')).toHaveLength(1);
  });

  it('ignores a node without a lease', () => {
    const overlay = healthy('06-flannel-overlay-healthy').object('Node', 'fl-master', node => {
      delete node.metadata.annotations[backend];
    });
    expect(overlay.outcomes('tunnel/vni')).toEqual(['pass']);
  });

  it('finds Calico with a FelixConfiguration VNI that differs from its Windows nodes', () => {
    const calico = healthy('09-calico-vxlan-healthy').object('FelixConfiguration', 'default', felix => {
      felix.spec.vxlanVNI = 4097;
    });
    expect(calico.failures('tunnel/vni')).toHaveLength(1);
  });

  it('assumes VNI 4096 if Calico has none configured', () => {
    const calico = healthy('09-calico-vxlan-healthy').object('FelixConfiguration', 'default', felix => {
      delete felix.spec.vxlanVNI;
    });
    expect(calico.outcomes('tunnel/vni')).toEqual(['pass']);
  });
});
