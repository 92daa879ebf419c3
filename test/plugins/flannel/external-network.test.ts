import {describe, expect, it} from 'vitest';
import {healthy} from '../../checks/support.js';

const id = 'hns/external-network';

const asService = () =>
  healthy('06-flannel-overlay-healthy').section('services', services =>
    services.push({
      Name: 'flanneld',
      State: 'Running',
      StartMode: 'Auto',
      ProcessId: 4100,
      PathName: 'C:\\k\\nssm.exe',
    }),
  );

describe('hns/external-network', () => {
  it('does not apply to Flannel in a pod', () => {
    expect(healthy('06-flannel-overlay-healthy').outcomes(id)).not.toContain('fail');
  });

  it('finds that Flannel as a service has no External network, and that cleanup creates it', () => {
    const [found] = asService()
      .section('hnsNetworks', networks => {
        networks.splice(0, networks.length, ...networks.filter(({Name}: {Name: string}) => Name !== 'External'));
      })
      .verdicts(id)
      .filter(({outcome}) => outcome === 'fail');
    expect(found?.message).toMatch(/HNS network External is missing/);
    expect(found?.remedy).toMatchObject({kind: 'command', command: 'kubectl win cleanup fl-win-a', cutsNetwork: true});
  });

  it('passes if it exists', () => {
    const there = asService().section('hnsNetworks', networks => {
      networks.push({...networks[0], ID: 'C0FFEE00-0000-4000-8000-000000000009', Name: 'External'});
    });
    expect(there.failures(id)).toEqual([]);
    expect(there.outcomes(id)).toContain('pass');
  });
});
