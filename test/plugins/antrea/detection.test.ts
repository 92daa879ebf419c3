import {describe, expect, it} from 'vitest';
import {healthy, type Scenario} from '../../checks/support.js';

const detect = (antrea: Scenario) => [...antrea.run().detections.values()][0];
const isAgentSet = ({kind, metadata}: {kind: string; metadata: {name: string}}) =>
  kind === 'DaemonSet' && metadata.name === 'antrea-agent-windows';

describe('Antrea', () => {
  it('is certain from the cluster and the node together', () => {
    const detection = detect(healthy('01-antrea-healthy'));
    expect(detection).toMatchObject({name: 'antrea', variant: 'encap', version: '2.2.0', confidence: 'certain'});
    expect(detection?.evidence).toContain('DaemonSet kube-system/antrea-agent-windows');
    expect(detection?.evidence).toContain('HNS network antrea-hnsnetwork');
  });

  it('is recognised from the node alone', () => {
    const alone = healthy('01-antrea-healthy');
    delete (alone.document as {cluster?: unknown}).cluster;
    expect(detect(alone)).toMatchObject({name: 'antrea', confidence: 'likely'});
  });

  it('is recognised from the cluster alone', () => {
    const unread = healthy('01-antrea-healthy').node(node => {
      node.sections = {};
    });
    expect(detect(unread)).toMatchObject({name: 'antrea', version: '2.2.0'});
  });

  it('is recognised as a service, without a DaemonSet for Windows', () => {
    const service = healthy('01-antrea-healthy')
      .removeObjects(isAgentSet)
      .removeObjects(({metadata}) => /^antrea-(agent-)?windows/.test(metadata.name))
      .section('services', services => services.push({Name: 'antrea-agent', State: 'Running', StartMode: 'Auto'}));
    expect(detect(service)).toMatchObject({name: 'antrea', version: '2.2.0', confidence: 'certain'});
    const failures = service.run().findings.filter(({outcome, id}) => outcome === 'fail' && /^(ovs|net\/nat)/.test(id));
    expect(failures).toEqual([]);
  });

  it('uses the version that the agent reports if the image has none', () => {
    const latest = healthy('01-antrea-healthy').object('DaemonSet', 'antrea-agent-windows', ({spec}) => {
      for (const container of spec.template.spec.containers) container.image = 'antrea/antrea-windows:latest';
    });
    expect(detect(latest)?.version).toBe('2.2.0');
  });

  it('detects whether OVS runs in the agent pod', () => {
    const ofThe = (antrea: Scenario) => detect(antrea)?.profile.ovs?.inPod;
    expect(ofThe(healthy('01-antrea-healthy'))).toBe(false);
    const withOvs = healthy('01-antrea-healthy').object('Pod', /^antrea-agent-windows/, ({spec}) =>
      spec.containers.push({name: 'antrea-ovs'}),
    );
    expect(ofThe(withOvs)).toBe(true);
  });

  it.each([
    ['vxlan', 4789],
    ['stt', 7471],
    ['geneve', 6081],
  ])('knows the port of %s tunnels', (type, port) => {
    const other = healthy('01-antrea-healthy').object('ConfigMap', 'antrea-windows-config', ({data}) => {
      data['antrea-agent.conf'] += `tunnelType: '${type}' # as on Linux\n`;
    });
    expect(detect(other)?.profile.tunnel).toMatchObject({protocol: type, port});
  });

  it('does not read the next line as the value of an empty setting', () => {
    const open = healthy('01-antrea-healthy').object('ConfigMap', 'antrea-windows-config', ({data}) => {
      data['antrea-agent.conf'] = `ovsBridge:\nhostGateway:\n${data['antrea-agent.conf']}`;
    });
    expect(detect(open)?.profile).toMatchObject({bridges: ['br-int'], ovs: {gateway: {port: 'antrea-gw0'}}});
  });
});
