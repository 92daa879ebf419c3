import {describe, expect, it} from 'vitest';
import {healthy} from '../support.js';

const antrea = '01-antrea-healthy';

describe('platform/container-runtime', () => {
  const runtime = (version: string | undefined) =>
    healthy(antrea)
      .object('Node', 'winapp-01', node => {
        node.status.nodeInfo.containerRuntimeVersion = version;
      })
      .outcomes('platform/container-runtime');

  it.each([
    ['docker://20.10.9', 'fail'],
    ['containerd://1.5.18', 'fail'],
    ['containerd://1.6.17', 'fail'],
    ['containerd://1.6.18', 'info'],
    ['containerd://1.6.21+unknown', 'info'],
    ['containerd://1.7.20+azure', 'pass'],
    ['containerd://v2.0.4', 'pass'],
    ['containerd://2.1.0-rc.1', 'pass'],
    ['containerd://Unknown', 'unknown'],
    ['cri-o://1.29.1', 'unknown'],
    ['', 'unknown'],
    [undefined, 'unknown'],
  ])('diagnoses %s as %s', (version, outcome) => {
    expect(runtime(version)).toEqual([outcome]);
  });
});

describe('platform/kubernetes-version', () => {
  const id = 'platform/kubernetes-version';
  const versions = (server: string | undefined, kubelet: string | undefined, name = antrea) => {
    const changed = healthy(name).object('Node', /win/, node => {
      node.status.nodeInfo.kubeletVersion = kubelet;
    });
    if (server === undefined) delete changed.document.cluster.version;
    else changed.document.cluster.version = server;
    return changed;
  };

  it.each([
    ['v1.31.4', 'v1.31.9', ['pass']],
    ['v1.31.4', 'v1.28.0', ['pass']],
    ['v1.31.4', 'v1.27.16', ['fail']],
    ['v1.31.4', 'v1.32.0', ['fail']],
    ['v1.29.10+67d3387', 'v1.29.10+67d3387', ['pass']],
    ['v1.27.3-gke.100', 'v1.27.3-eks-a5565ad', ['pass']],
    ['v1.25.0', 'v1.25.0', ['info']],
    ['v1.22.17', 'v1.22.17', ['fail', 'fail']],
    [undefined, 'v1.31.4', ['unknown']],
    ['v1.31.4', 'nonsense', ['unknown']],
  ])('diagnoses server %s with kubelet %s as %s', (server, kubelet, outcomes) => {
    expect(versions(server, kubelet).outcomes(id)).toEqual(outcomes);
  });

  it('tells what Kube-OVN needs', () => {
    expect(versions('v1.16.2', 'v1.16.2', '04-kube-ovn-healthy').failures(id)[0]).toContain('which Kube-OVN needs');
  });
});
