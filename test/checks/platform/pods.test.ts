import {describe, expect, it} from 'vitest';
import {healthy, type Raw} from '../support.js';

const antrea = '01-antrea-healthy';
const flannel = '06-flannel-overlay-healthy';

describe('platform/image-os-build', () => {
  const id = 'platform/image-os-build';
  const wrong =
    'failed to create containerd task: hcs::CreateComputeSystem: The container operating system does not match the host operating system.';
  const waiting = (message: string) => (pod: Raw) => {
    pod.status.containerStatuses = [
      {name: 'web', ready: false, restartCount: 3, state: {waiting: {reason: 'RunContainerError', message}}},
    ];
  };

  it.each([
    wrong,
    'hcs::CreateComputeSystem x: Das Containerbetriebssystem stimmt nicht überein: 0xc0370101',
    'no matching manifest for windows/amd64 10.0.20348 in the manifest list entries',
    'failed to pull image: no match for platform in manifest: not found',
    'a Windows version 10.0.17763-based image is incompatible with a 10.0.20348 host',
  ])('finds a pod whose status says "%s"', message => {
    const stuck = healthy(antrea).object('Pod', /^storefront/, waiting(message));
    expect(stuck.failures(id)).toHaveLength(1);
    expect(stuck.failures(id)[0]).toContain('is not for Windows build 20348.2966');
  });

  it('finds it in the events of a waiting pod', () => {
    const stuck = healthy(antrea)
      .object('Pod', /^storefront/, waiting('ContainerCreating'))
      .addObject({
        kind: 'Event',
        metadata: {name: 'e', namespace: 'shop'},
        involvedObject: {kind: 'Pod', name: 'storefront-s949w5skg-hg6j7', namespace: 'shop'},
        message: wrong,
      });
    expect(stuck.failures(id)).toHaveLength(1);
  });

  it('ignores events of a pod that runs now, and other waiting reasons', () => {
    const runs = healthy(antrea).addObject({
      kind: 'Event',
      metadata: {name: 'e', namespace: 'shop'},
      involvedObject: {kind: 'Pod', name: 'storefront-s949w5skg-hg6j7', namespace: 'shop'},
      message: wrong,
    });
    expect(runs.outcomes(id)).toEqual(['pass']);
    expect(
      healthy(antrea)
        .object('Pod', /^storefront/, waiting('ErrImagePull: denied'))
        .outcomes(id),
    ).toEqual(['pass']);
  });

  it('is undetermined without the pods', () => {
    expect(
      healthy(antrea)
        .removeObjects(({kind}) => kind === 'Pod')
        .outcomes(id),
    ).toEqual(['unknown']);
  });
});

describe('platform/os-selector', () => {
  const id = 'platform/os-selector';
  const daemonSet = (name: string, spec: object = {}) => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: {name, namespace: 'kube-flannel'},
    spec: {template: {spec: {containers: [{name: 'c', image: 'x'}], ...spec}}},
  });
  const podOf = (name: string, nodeName = 'fl-win-a') => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {name: `${name}-x`, namespace: 'kube-flannel', ownerReferences: [{kind: 'DaemonSet', name}]},
    spec: {nodeName, containers: []},
    status: {phase: 'Pending'},
  });
  const withSet = (name: string, spec?: object, nodeName?: string) =>
    healthy(flannel).addObject(daemonSet(name, spec)).addObject(podOf(name, nodeName));

  it('finds a DaemonSet for Linux with pods on a Windows node, and prints the patch', () => {
    const [found] = withSet('kube-flannel-ds-old').verdicts(id);
    expect(found).toMatchObject({outcome: 'fail', severity: 'warning', node: undefined});
    expect(found?.message).toContain('(fl-win-a)');
    expect(found?.remedy).toMatchObject({
      steps: [
        `kubectl -n kube-flannel patch daemonset kube-flannel-ds-old -p '{"spec":{"template":{"spec":{"nodeSelector":{"kubernetes.io/os":"linux"}}}}}'`,
      ],
    });
  });

  it('recognises one for Linux by settings that Windows does not have', () => {
    const privileged = {containers: [{name: 'c', securityContext: {privileged: true}}]};
    expect(withSet('node-tuner', privileged).failures(id)).toHaveLength(1);
  });

  it.each([
    ['selects Linux', 'kube-flannel-ds-old', {nodeSelector: {'kubernetes.io/os': 'linux'}}],
    ['sets its operating system', 'kube-proxy-2', {os: {name: 'linux'}}],
    [
      'selects by affinity',
      'kube-flannel-ds-old',
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{matchExpressions: [{key: 'kubernetes.io/os', operator: 'In', values: ['linux']}]}],
            },
          },
        },
      },
    ],
    ['is for both operating systems', 'log-shipper', {}],
    ['is for Windows', 'calico-node-windows-2', {}],
    [
      'is HostProcess',
      'cns',
      {containers: [{name: 'c', securityContext: {privileged: true, windowsOptions: {hostProcess: true}}}]},
    ],
  ])('does not suspect a DaemonSet that %s', (_, name, spec) => {
    expect(withSet(name, spec).outcomes(id)).toEqual(['pass']);
  });

  it('ignores one without a selector that has no pods on Windows nodes', () => {
    expect(withSet('kube-flannel-ds-old', {}, 'fl-master').outcomes(id)).toEqual(['pass']);
  });

  it('warns of the deprecated label', () => {
    const old = healthy(flannel).addObject(daemonSet('x', {nodeSelector: {'beta.kubernetes.io/os': 'linux'}}));
    expect(old.verdicts(id)[0]?.remedy).toMatchObject({
      steps: [
        `kubectl -n kube-flannel patch daemonset x -p '{"spec":{"template":{"spec":{"nodeSelector":{"beta.kubernetes.io/os":null,"kubernetes.io/os":"linux"}}}}}'`,
      ],
    });
  });
});
