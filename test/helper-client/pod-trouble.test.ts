import type {CoreV1Event, V1Pod} from '@kubernetes/client-node';
import {describe, expect, it} from 'vitest';
import {creationError, startError} from '../../src/helper/pod-trouble.js';
import {apiError} from '../../src/kube/api-errors.js';
import {resolveConnection} from '../../src/kube/kubeconfig.js';
import {ExitCode, type WinError} from '../../src/lib/errors.js';

const connection = resolveConnection({server: 'https://a'}, {HOME: '/nowhere'});

describe('a rejected helper pod', () => {
  it.each([
    [
      403,
      'pods "x" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true), hostProcess',
      'kubectl label namespace tools pod-security.kubernetes.io/enforce=privileged',
      ExitCode.denied,
    ],
    [403, 'unable to validate against any security context constraint: []', 'oc adm policy', ExitCode.denied],
    [
      403,
      'pods "x" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=5, limited: pods=5',
      'Raise the ResourceQuota compute of namespace tools',
      ExitCode.denied,
    ],
    [
      403,
      'pods "x" is forbidden: failed quota: compute: must specify limits.cpu,limits.memory for: helper',
      'with defaults for limits.cpu,limits.memory, which its ResourceQuota compute requires',
      ExitCode.denied,
    ],
    [
      403,
      'pods "x" is forbidden: maximum memory usage per Container is 10Mi.  No limit is specified',
      'Change the LimitRange of namespace tools',
      ExitCode.denied,
    ],
    [
      422,
      'Pod "x" is invalid: spec.containers[0].resources.requests: Invalid value: "50m": must be less than or equal to cpu limit of 10m',
      'Change the LimitRange of namespace tools',
      ExitCode.denied,
    ],
    [
      403,
      'pods "x" is forbidden: error looking up service account tools/default: serviceaccount "default" not found',
      'kubectl create serviceaccount default -n tools',
      ExitCode.denied,
    ],
    [
      422,
      `pods "x" is forbidden: ValidatingAdmissionPolicy 'no-host-process' with binding 'all' denied request: no`,
      'Exempt namespace tools from the ValidatingAdmissionPolicy no-host-process.',
      ExitCode.denied,
    ],
    [
      400,
      'admission webhook "validate.kyverno.svc" denied the request: no',
      'Exempt namespace tools from the admission webhook validate.kyverno.svc.',
      ExitCode.denied,
    ],
    [
      500,
      'Internal error occurred: failed calling webhook "validate.kyverno.svc": failed to call webhook: Post "https://kyverno-svc.kyverno.svc:443/validate/fail?timeout=10s": dial tcp 10.96.1.1:443: connect: connection refused',
      'Repair the admission webhook validate.kyverno.svc, which does not answer',
      ExitCode.denied,
    ],
    [
      403,
      'unable to create new content in namespace tools because it is being terminated',
      'Wait until the namespace tools is deleted',
      ExitCode.denied,
    ],
  ])('says what to do about a %i: %s', (code, message, next, exit) => {
    const status = JSON.stringify({kind: 'Status', message, reason: 'Forbidden'});
    const error = creationError(apiError(code, status, connection), 'tools') as WinError;
    expect(error.next.join()).toContain(next);
    expect(error.next.join()).not.toContain('Ask an administrator');
    expect(error.exit).toBe(exit);
  });
});

describe('a helper pod that does not run', () => {
  const pod = (status: V1Pod['status']): V1Pod => ({metadata: {name: 'p', namespace: 'n'}, ...(status && {status})});
  const event = (reason: string, message: string) => ({type: 'Warning', reason, message}) as CoreV1Event;
  const waiting = (reason: string, message = '') =>
    ({phase: 'Pending', containerStatuses: [{state: {waiting: {reason, message}}}]}) as V1Pod['status'];

  it.each([
    ['the image', waiting('ImagePullBackOff', 'Back-off'), [], '--helper-image=auto'],
    ['the runtime', waiting('CreateContainerError', 'hostProcess containers are not supported'), [], 'helper script'],
    ['the scripts', waiting('ContainerCreating'), [event('FailedMount', 'configmap "x" not found')], 'ConfigMap'],
    ['containerd’s user', waiting('RunContainerError', 'failed to create user process token'), [], 'LocalSystem'],
    [
      'an eviction',
      {phase: 'Failed', reason: 'Evicted', message: 'disk'} as V1Pod['status'],
      [],
      'taints and conditions',
    ],
    ['a full node', {phase: 'Failed', reason: 'OutOfpods', message: 'x'} as V1Pod['status'], [], 'The node is full'],
    ['the kubelet', undefined, [], 'has not started the pod'],
    ['time', {phase: 'Pending', startTime: new Date(0)}, [], '--helper-timeout'],
  ])('says what to do if the cause is %s', (_, status, events, next) => {
    const error = startError({pod: pod(status), node: 'win-1', image: 'img', events, waitedMs: 60_000});
    expect(error.message).toContain('The helper pod on win-1 did not start within 1m: phase ');
    expect(error.next.join(' ')).toContain(next);
    expect(error.exit).toBe(ExitCode.uninspected);
  });

  it('reports phase, reason and last warning in one line that is safe to print', () => {
    const events = [
      event('FailedCreatePodSandBox', 'no \u001b[2Jsandbox\nat all'),
      {type: 'Normal', reason: 'Pulled'} as CoreV1Event,
    ];
    const stuck = {pod: pod(waiting('ContainerCreating')), node: 'win-1', image: 'img', events, waitedMs: undefined};
    expect(startError(stuck).message).toBe(
      'The helper pod on win-1 did not start: phase Pending, container ContainerCreating; last event FailedCreatePodSandBox: no sandbox at all.',
    );
  });
});
