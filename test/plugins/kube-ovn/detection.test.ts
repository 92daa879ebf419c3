import {describe, expect, it} from 'vitest';
import {healthy, type Scenario} from '../../checks/support.js';

const detect = (kubeOvn: Scenario) => [...kubeOvn.run().detections.values()][0];

describe('Kube-OVN', () => {
  it('is certain from the cluster and the node together, without a DaemonSet for Windows', () => {
    const detection = detect(healthy('04-kube-ovn-healthy'));
    expect(detection).toMatchObject({name: 'kube-ovn', version: '1.14.4', confidence: 'certain'});
    expect(detection?.evidence).toEqual(
      expect.arrayContaining([
        'Deployment kube-system/kube-ovn-controller',
        'HNS network kube-ovn',
        'service kube-ovn',
      ]),
    );
  });

  it('is recognised from the node alone', () => {
    const alone = healthy('04-kube-ovn-healthy');
    delete (alone.document as {cluster?: unknown}).cluster;
    expect(detect(alone)).toMatchObject({name: 'kube-ovn', version: undefined, confidence: 'likely'});
  });

  it('is recognised from the cluster alone', () => {
    const unread = healthy('04-kube-ovn-healthy').node(node => {
      node.sections = {};
    });
    expect(detect(unread)).toMatchObject({name: 'kube-ovn', confidence: 'certain'});
  });

  it('does not claim a Windows node of its cluster that runs another plugin', () => {
    const mixed = healthy('06-flannel-overlay-healthy');
    const kubeOvn = healthy('04-kube-ovn-healthy').document.cluster.objects;
    mixed.addObject(
      kubeOvn.find(({kind, metadata}) => kind === 'Deployment' && metadata.name === 'kube-ovn-controller'),
    );
    mixed.object('Node', /^fl-win/, ({metadata}) => {
      metadata.annotations['ovn.kubernetes.io/allocated'] = 'true';
    });
    expect([...mixed.run().detections.values()].map(({name}) => name)).toEqual(['flannel', 'flannel']);
  });

  it.each([
    ['vxlan', 4789, 50],
    ['stt', 7471, 72],
  ])('knows the port and MTU overhead of %s tunnels', (type, port, overhead) => {
    const other = healthy('04-kube-ovn-healthy').section(
      'ovs',
      ({
        Tables: {
          Open_vSwitch: {headings, data},
        },
      }) => {
        const [, ids] = data[0][headings.indexOf('external_ids')];
        ids.find(([key]: [string]) => key === 'ovn-encap-type')[1] = type;
      },
    );
    expect(detect(other)?.profile.tunnel).toEqual({protocol: type, port, overhead});
  });
});
