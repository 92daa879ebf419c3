import {describe, expect, it} from 'vitest';
import {healthy, scenario} from '../support.js';

describe('tunnel/udp-port', () => {
  const netConf = (backend: object) => JSON.stringify({Network: '10.244.0.0/16', Backend: {Type: 'vxlan', ...backend}});

  it('finds Flannel on port 8472, and prints the patch', () => {
    const overlay = healthy('06-flannel-overlay-healthy').object('ConfigMap', 'kube-flannel-cfg', map => {
      map.data['net-conf.json'] = netConf({VNI: 4096, Port: 8472});
    });
    const [finding] = overlay.verdicts('tunnel/udp-port');
    expect(finding?.outcome).toBe('fail');
    expect(finding?.message).toMatch(/8472/);
    const patch = finding?.remedy?.kind === 'manual' ? finding.remedy.steps[0] : '';
    expect(patch).toMatch(/^kubectl -n kube-flannel patch configmap kube-flannel-cfg --type merge -p '/);
    const merged = JSON.parse(patch?.slice(patch.indexOf("'") + 1, -1) ?? '');
    expect(JSON.parse(merged.data['net-conf.json'])).toEqual({
      Network: '10.244.0.0/16',
      Backend: {Type: 'vxlan', VNI: 4096, Port: 4789},
    });
  });

  it('finds an unset port: Linux then uses 8472', () => {
    const overlay = healthy('06-flannel-overlay-healthy').object('ConfigMap', 'kube-flannel-cfg', map => {
      map.data['net-conf.json'] = netConf({VNI: 4096});
    });
    expect(overlay.failures('tunnel/udp-port')[0]).toMatch(/8472 \(the Linux default\)/);
  });

  it('allows a ConfigMap that only Windows reads to omit the port', () => {
    const overlay = healthy('06-flannel-overlay-healthy').object('ConfigMap', 'kube-flannel-windows-cfg', map => {
      map.data['net-conf.json'] = netConf({});
    });
    expect(overlay.outcomes('tunnel/udp-port')).toEqual(['pass']);
  });

  it('reads keys case-insensitively, as flanneld does', () => {
    const overlay = healthy('06-flannel-overlay-healthy').object('ConfigMap', 'kube-flannel-cfg', map => {
      map.data['net-conf.json'] = '{"network":"10.244.0.0/16","backend":{"type":"VXLAN","vni":4096,"port":4789}}';
    });
    expect(overlay.outcomes('tunnel/udp-port')).toEqual(['pass']);
  });

  it('finds Calico on a port that Windows does not use', () => {
    const calico = healthy('09-calico-vxlan-healthy').object('FelixConfiguration', 'default', felix => {
      felix.spec.vxlanPort = 8472;
    });
    expect(calico.failures('tunnel/udp-port')).toHaveLength(1);
  });

  const withPort = (port: number) =>
    scenario('12-hybrid-overlay-network-missing').object('Network', 'cluster', network => {
      network.spec.defaultNetwork.ovnKubernetesConfig.hybridOverlayConfig.hybridOverlayVXLANPort = port;
    });

  it('finds a hybrid overlay with a custom port on Server 2019, which does not support it', () => {
    const openshift = withPort(9898).section('os', os => {
      os.BuildNumber = '17763';
    });
    expect(openshift.failures('tunnel/udp-port')[0]).toMatch(/Server 2019/);
  });

  it('accepts the same port on Server 2022', () => {
    expect(withPort(9898).outcomes('tunnel/udp-port')).toEqual(['pass']);
  });

  it('finds Antrea with different tunnel types on Linux and Windows', () => {
    const conf = (type: string) => ({'antrea-agent.conf': `tunnelType: ${type}\n`});
    const antrea = healthy('01-antrea-healthy')
      .removeObjects(({kind, metadata}) => kind === 'ConfigMap' && /^antrea(-windows)?-config$/.test(metadata.name))
      .addObject({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {name: 'antrea-config', namespace: 'kube-system'},
        data: conf('geneve'),
      });
    const windows = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {name: 'antrea-windows-config', namespace: 'kube-system'},
    };
    expect(antrea.addObject({...windows, data: conf('vxlan')}).failures('tunnel/udp-port')).toHaveLength(1);
    expect(
      antrea
        .removeObjects(({metadata}) => metadata.name === 'antrea-windows-config')
        .addObject({...windows, data: {'antrea-agent.conf': '#tunnelType: geneve\ntunnelPort: 0\n'}})
        .outcomes('tunnel/udp-port'),
    ).toEqual(['pass']);
  });
});
