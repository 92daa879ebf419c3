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

  it('reports the requirements of Kube-OVN', () => {
    expect(versions('v1.16.2', 'v1.16.2', '04-kube-ovn-healthy').failures(id)[0]).toContain('which Kube-OVN requires');
  });
});

describe('what is told of a container runtime', () => {
  const id = 'platform/container-runtime';
  const on = (name: string, version: string) =>
    healthy(name)
      .object('Node', /win/, node => {
        node.status.nodeInfo.containerRuntimeVersion = version;
      })
      .verdicts(id)[0];

  it('is its version, and what is needed', () => {
    expect(on(antrea, 'containerd://1.5.18')).toMatchObject({
      severity: 'warning',
      message: expect.stringMatching(/^containerd 1\.5\.18 is too old/),
      evidence: [
        {
          object: 'Node winapp-01',
          field: 'nodeInfo.containerRuntimeVersion',
          seen: 'containerd://1.5.18',
          expected: 'containerd 1.6.18 or later',
        },
      ],
    });
    expect(on(antrea, 'docker://20.10.9')).toMatchObject({
      message: expect.stringMatching(/^The node runs Docker, which does not support HostProcess pods/),
      remedy: {steps: ['Move the node to containerd 1.7 or later.', expect.anything()]},
    });
    expect(on(antrea, 'cri-o://1.29.1')?.message).toBe('cri-o://1.29.1 is not a valid version.');
  });

  it('is no advice to leave Docker, where the plugin supports nothing else', () => {
    const kubeOvn = '04-kube-ovn-healthy';
    expect(on(kubeOvn, 'docker://19.3.14')).toMatchObject({
      outcome: 'info',
      message: expect.stringMatching(/^The node runs Docker, which Kube-OVN for Windows requires/),
      evidence: [{expected: 'Docker'}],
    });
    expect(on(kubeOvn, 'containerd://1.7.23')).toMatchObject({
      outcome: 'info',
      message: expect.stringMatching(/Kube-OVN for Windows supports only Docker Engine/),
    });
    expect(on(kubeOvn, 'containerd://1.5.9')?.outcome).toBe('fail');
  });
});

describe('what is told of versions of Kubernetes', () => {
  const id = 'platform/kubernetes-version';
  const versions = (server: string, kubelet: string) => {
    const changed = healthy(antrea).object('Node', /win/, node => {
      node.status.nodeInfo.kubeletVersion = kubelet;
    });
    changed.document.cluster.version = server;
    return changed.verdicts(id);
  };

  it('is which of the two is too old', () => {
    expect(versions('v1.22.17', 'v1.22.17').map(({message}) => message)).toEqual([
      'Kubelet 1.22.17 is older than 1.23, the first version with HostProcess pods.',
      'The API server 1.22.17 is older than 1.23, the first version with HostProcess pods.',
    ]);
    expect(versions('v1.24.0', 'v1.22.17').map(({message}) => message)).toEqual([
      'Kubelet 1.22.17 is older than 1.23, the first version with HostProcess pods.',
    ]);
    expect(versions('v1.23.0', 'v1.23.0')).toMatchObject([{outcome: 'info'}]);
  });

  it('is how far kubelet is behind, or that it is ahead', () => {
    expect(versions('v1.31.4', 'v1.27.16')).toMatchObject([
      {
        message: 'Kubelet v1.27.16 is 4 minor versions older than the API server v1.31.4; three are supported.',
        evidence: [
          {object: 'Node winapp-01', seen: 'v1.27.16', expected: 'at most three minor versions older'},
          {object: 'API server', seen: 'v1.31.4'},
        ],
        remedy: {steps: [expect.stringMatching(/^Upgrade kubelet on this node to 1\.31:/)]},
      },
    ]);
    expect(versions('v1.31.4', 'v1.32.0')[0]?.message).toBe(
      'Kubelet v1.32.0 is newer than the API server v1.31.4, which is not supported.',
    );
    expect(versions('v2.0.0', 'v1.31.0')[0]?.message).toMatch(/is 69 minor versions older/);
  });

  it('is that HostProcess pods are beta, where one of the two is older than 1.26', () => {
    expect(versions('v1.26.0', 'v1.25.16').map(({outcome}) => outcome)).toEqual(['info']);
    expect(versions('v1.26.0', 'v1.26.0').map(({outcome}) => outcome)).toEqual(['pass']);
  });
});
