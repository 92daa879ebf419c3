import {describe, expect, it} from 'vitest';
import {healthy, type Raw, scenario} from '../support.js';

const antrea = '01-antrea-healthy';
const calico = '09-calico-vxlan-healthy';

describe('cluster/node-conditions', () => {
  const id = 'cluster/node-conditions';
  const condition = (type: string, change: object) => (node: Raw) =>
    Object.assign(
      node.status.conditions.find((one: Raw) => one.type === type),
      change,
    );

  it('reports that the network plugin is not ready', () => {
    const notReady = healthy(antrea).object(
      'Node',
      'winapp-01',
      condition('Ready', {
        status: 'False',
        reason: 'KubeletNotReady',
        message:
          'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized',
      }),
    );
    expect(notReady.failures(id)).toEqual(['The node is not Ready because its network plugin is not ready.']);
  });

  it('reports that the kubelet stopped posting', () => {
    const silent = healthy(antrea).object(
      'Node',
      'winapp-01',
      condition('Ready', {
        status: 'Unknown',
        reason: 'NodeStatusUnknown',
        message: 'Kubelet stopped posting node status.',
      }),
    );
    expect(silent.failures(id)).toEqual([
      'The node has not reported to the API server since 2026-02-24T03:14:40Z (NodeStatusUnknown: Kubelet stopped posting node status.).',
    ]);
  });

  it('finds a network that is marked unavailable, by condition or by taint', () => {
    const byCondition = healthy(calico).object(
      'Node',
      'cal-win-1',
      condition('NetworkUnavailable', {status: 'True', reason: 'CalicoIsDown'}),
    );
    const byTaint = healthy(antrea).object('Node', 'winapp-01', node => {
      node.spec.taints = [{key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule'}];
    });
    expect(byCondition.failures(id)).toHaveLength(1);
    expect(byTaint.failures(id)).toHaveLength(1);
  });

  it('ignores cordons, other taints and pressure', () => {
    const fine = healthy(antrea).object('Node', 'winapp-01', node => {
      node.spec.unschedulable = true;
      node.spec.taints = [
        {key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule'},
        {key: 'os', value: 'windows', effect: 'NoSchedule'},
      ];
      node.status.conditions.push({type: 'DiskPressure', status: 'True'});
    });
    expect(fine.outcomes(id)).toEqual(['pass']);
  });

  it('is explained by what is wrong on the node', () => {
    const notReady = scenario('02-antrea-after-reboot').object(
      'Node',
      'win-blue',
      condition('Ready', {status: 'False', reason: 'KubeletNotReady'}),
    );
    expect(notReady.verdicts(id)[0]?.causedBy).toContain('hns/network-present');
  });

  it('is undetermined for a node without conditions', () => {
    const silent = healthy(antrea).object('Node', 'winapp-01', node => {
      node.status.conditions = [];
    });
    expect(silent.outcomes(id)).toEqual(['unknown']);
  });
});

describe('cluster/stuck-terminating', () => {
  const id = 'cluster/stuck-terminating';
  const deleted = (at: string) =>
    healthy(antrea).object('Pod', /^storefront/, pod => {
      pod.metadata.deletionTimestamp = at;
    });

  it('names a pod that should have been deleted more than ten minutes ago', () => {
    expect(deleted('2026-03-03T10:31:00Z').failures(id)).toEqual([
      'Pod shop/storefront-s949w5skg-hg6j7 has been terminating for more than 10 minutes.',
    ]);
  });

  it('allows a pod its time and its grace period', () => {
    expect(deleted('2026-03-03T10:32:00Z').outcomes(id)).toEqual(['pass']);
    expect(deleted('2026-03-03T11:30:00Z').outcomes(id)).toEqual(['pass']);
  });

  it('checks only the pods of this node', () => {
    const elsewhere = healthy(antrea).object('Pod', /^coredns/, pod => {
      pod.metadata.deletionTimestamp = '2026-03-03T08:00:00Z';
    });
    expect(elsewhere.outcomes(id)).toEqual(['pass']);
  });

  it('does not pass if the time or the pods cannot be read', () => {
    expect(deleted('some time').outcomes(id)).toEqual(['unknown']);
    expect(healthy(antrea).addObject({kind: 'Pod', metadata: 3}).outcomes(id)).toEqual(['unknown']);
    expect(
      healthy(antrea)
        .removeObjects(({kind}) => kind === 'Pod')
        .outcomes(id),
    ).toEqual(['unknown']);
  });
});

describe('cluster/pod-security', () => {
  const id = 'cluster/pod-security';
  const namespace = (labels: object, name = 'kubectl-win') =>
    healthy(antrea).addObject({apiVersion: 'v1', kind: 'Namespace', metadata: {name, labels}});

  it.each(['baseline', 'restricted', 'nonsense'])('fails if the namespace of the helper enforces %s', level => {
    const strict = namespace({'pod-security.kubernetes.io/enforce': level});
    expect(strict.verdicts(id)).toMatchObject([
      {
        outcome: 'fail',
        node: undefined,
        remedy: {
          steps: ['kubectl label namespace kubectl-win pod-security.kubernetes.io/enforce=privileged --overwrite'],
        },
      },
    ]);
  });

  it('accepts privileged, and warnings for stricter levels', () => {
    const fine = namespace({
      'pod-security.kubernetes.io/enforce': 'privileged',
      'pod-security.kubernetes.io/warn': 'restricted',
    });
    expect(fine.outcomes(id)).toEqual(['pass']);
  });

  it('does not pass a namespace without the label, because the cluster default is unknown', () => {
    expect(namespace({}).outcomes(id)).toEqual(['info']);
  });

  it('ignores other namespaces', () => {
    expect(namespace({'pod-security.kubernetes.io/enforce': 'restricted'}, 'shop').outcomes(id)).toEqual(['skipped']);
  });

  it('finds the namespace in which the helpers actually run', () => {
    const other = namespace({'pod-security.kubernetes.io/enforce': 'baseline'}, 'tools').addObject({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: {name: 'h', namespace: 'tools', labels: {'app.kubernetes.io/managed-by': 'kubectl-win'}},
      spec: {template: {spec: {nodeSelector: {'kubernetes.io/os': 'windows'}, containers: []}}},
    });
    expect(other.failures(id)).toHaveLength(1);
  });
});

describe('what is told of the conditions of a node', () => {
  const id = 'cluster/node-conditions';
  const told = (change: (node: Raw) => void) =>
    healthy('01-antrea-healthy').object('Node', 'winapp-01', change).verdicts(id);
  const ready = (status: string, rest: object) => (node: Raw) =>
    Object.assign(
      node.status.conditions.find(({type}: Raw) => type === 'Ready'),
      {status, reason: undefined, message: undefined, ...rest},
    );

  it('is the reason and the message, or that there is none', () => {
    expect(told(ready('False', {reason: 'KubeletNotReady', message: 'PLEG is not healthy'}))).toMatchObject([
      {
        message: 'The node is not Ready (KubeletNotReady: PLEG is not healthy).',
        evidence: [{object: 'Node winapp-01', field: 'Ready', seen: 'KubeletNotReady: PLEG is not healthy'}],
        remedy: {steps: ['kubectl describe node winapp-01']},
      },
    ]);
    expect(told(ready('False', {}))[0]?.message).toBe('The node is not Ready (without a reason).');
    expect(told(ready('False', {reason: 'KubeletNotReady'}))[0]?.message).toMatch(/\(KubeletNotReady\)\.$/);
    expect(told(ready('False', {message: 'cni plugin not initialized'}))[0]?.message).toBe(
      'The node is not Ready because its network plugin is not ready.',
    );
  });

  it('is where a missing network was seen', () => {
    const condition = told(({status}) =>
      status.conditions.push({
        type: 'NetworkUnavailable',
        status: 'True',
        reason: 'NoRouteCreated',
        message: 'no route',
      }),
    );
    expect(condition[0]?.evidence).toMatchObject([
      {field: 'NetworkUnavailable', seen: 'NoRouteCreated: no route', expected: 'False'},
    ]);
    const taint = told(({spec}) => {
      spec.taints = [{key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule'}];
    });
    expect(taint[0]?.evidence).toMatchObject([
      {field: 'taints', seen: 'node.kubernetes.io/network-unavailable', expected: 'no such taint'},
    ]);
    const fine = told(({status}) => status.conditions.push({type: 'NetworkUnavailable', status: 'False'}));
    expect(fine).toMatchObject([{outcome: 'pass'}]);
  });
});

describe('what is told of pods that do not end', () => {
  const id = 'cluster/stuck-terminating';
  const leaving = (time: string, pods: RegExp = /^storefront/) =>
    healthy('01-antrea-healthy')
      .object('Pod', pods, ({metadata}) => {
        metadata.deletionTimestamp = time;
      })
      .verdicts(id)[0];

  it('is each of them, with the time and the last resort', () => {
    expect(leaving('2026-03-03T10:00:00Z')).toMatchObject({
      message: 'Pod shop/storefront-s949w5skg-hg6j7 has been terminating for more than 10 minutes.',
      evidence: [{object: 'Pod shop/storefront-s949w5skg-hg6j7', seen: '2026-03-03T10:00:00.000Z'}],
      remedy: {
        steps: [
          expect.anything(),
          expect.anything(),
          expect.stringMatching(/^kubectl -n shop delete pod storefront-s949w5skg-hg6j7 --grace-period=0 --force/),
        ],
      },
    });
    expect(leaving('2026-03-03T10:00:00Z', /^(storefront|invoicer)/)?.message).toMatch(/^2 pods have been terminating/);
  });

  it('is nothing for ten minutes', () => {
    expect(leaving('2026-03-03T10:31:07Z')?.outcome).toBe('pass');
    expect(leaving('2026-03-03T10:31:06Z')?.outcome).toBe('fail');
  });
});
