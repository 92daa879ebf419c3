import {describe, expect, it} from 'vitest';
import {healthy} from '../support.js';

// biome-ignore lint/suspicious/noExplicitAny: raw networks
type Raw = any;
const id = 'cni/two-plugins';

describe('cni/two-plugins', () => {
  it('names both plugins if a migration left a network behind', () => {
    const calico = healthy('09-calico-vxlan-healthy').section('hnsNetworks', networks => {
      const network = networks.find(({Name}: Raw) => Name === 'Calico');
      networks.push({...network, ID: 'AAAAAAAA-0000-0000-0000-000000000000', Name: 'flannel.4096'});
    });
    expect(calico.failures(id)).toEqual([expect.stringMatching(/runs Calico.*traces of Flannel.*flannel\.4096/)]);
    expect([...calico.run().detections.values()].map(({name}) => name)).toEqual(['calico', 'calico']);
  });

  it('ignores a leftover annotation', () => {
    const calico = healthy('09-calico-vxlan-healthy').object('Node', 'cal-win-1', node => {
      node.metadata.annotations['flannel.alpha.coreos.com/backend-type'] = 'vxlan';
    });
    expect(calico.outcomes(id)).toEqual(['pass', 'pass']);
    expect(calico.run().detections.get('cal-win-1')?.name).toBe('calico');
  });

  it('finds a service of another plugin', () => {
    const antrea = healthy('01-antrea-healthy').section('services', services => {
      services.push({Name: 'flanneld', State: 'Running', StartMode: 'Auto'});
    });
    expect(antrea.failures(id)[0]).toMatch(/runs Antrea.*service flanneld/);
  });

  it('reports where each trace was found', () => {
    const [found] = healthy('01-antrea-healthy')
      .section('services', services => services.push({Name: 'flanneld', State: 'Running', StartMode: 'Auto'}))
      .section('processes', processes => processes.push({Name: 'flanneld.exe', Id: 4711, ProcessId: 4711}))
      .section('hnsNetworks', networks => {
        const [own] = networks;
        networks.push({...own, ID: 'AAAAAAAA-0000-0000-0000-000000000000', Name: 'flannel.4096', Type: 'Overlay'});
      })
      .verdicts(id);
    const sections = found?.evidence.slice(1).map(({section, seen}) => [section, String(seen).split(' ')[0]]);
    expect(sections).toEqual(
      expect.arrayContaining([
        ['services', 'service'],
        ['hnsNetworks', 'HNS'],
      ]),
    );
    for (const [section, kind] of sections ?? [])
      expect([section, kind]).toEqual([
        {HNS: 'hnsNetworks', service: 'services', process: 'processes'}[kind ?? ''],
        kind,
      ]);
  });
});
