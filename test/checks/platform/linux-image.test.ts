import {describe, expect, it} from 'vitest';
import {healthy, type Raw} from '../support.js';

const id = 'platform/linux-image';
const antrea = '01-antrea-healthy';
const noMatch = 'failed to pull and unpack image: no match for platform in manifest: not found';

const pod = (change: Raw = {}, message = noMatch) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {name: 'web-0', namespace: 'shop', ...change.metadata},
  spec: {nodeName: 'winapp-01', containers: [{name: 'web', image: 'nginx:1.27'}], ...change.spec},
  status: {
    phase: 'Pending',
    containerStatuses: [
      {name: 'web', ready: false, restartCount: 0, state: {waiting: {reason: 'ErrImagePull', message}}},
    ],
    ...change.status,
  },
});

const owned = (kind: string, name: string) => ({metadata: {ownerReferences: [{kind, name}]}});
const withPod = (...args: Parameters<typeof pod>) => healthy(antrea).addObject(pod(...args));

describe('platform/linux-image', () => {
  it('finds a Linux image in a bare pod, and is the only finding about it', () => {
    const found = withPod();
    expect(found.verdicts(id)).toMatchObject([
      {
        outcome: 'fail',
        message:
          'Pod shop/web-0 is for Linux (image nginx:1.27), but has a pod on Windows node winapp-01, where it cannot start.',
        remedy: {
          steps: [
            'kubectl -n shop delete pod web-0',
            'Recreate the pod with nodeSelector kubernetes.io/os: linux, and without spec.nodeName.',
          ],
        },
      },
    ]);
    expect(found.failures('platform/image-os-build')).toEqual([]);
  });

  it.each([
    ['ReplicaSet', 'web-7d4b9c6f5', 'patch deployment web'],
    ['StatefulSet', 'web', 'patch statefulset web'],
  ])('names the owner of a pod of a %s, and the selector to add', (kind, name, command) => {
    const [found] = withPod(owned(kind, name)).verdicts(id);
    expect(found?.remedy).toMatchObject({
      steps: [
        `kubectl -n shop ${command} -p '{"spec":{"template":{"spec":{"nodeSelector":{"kubernetes.io/os":"linux"}}}}}'`,
      ],
    });
  });

  it('reports the pods of one owner as one finding', () => {
    const two = withPod(owned('StatefulSet', 'web')).addObject(
      pod({metadata: {name: 'web-1', ownerReferences: [{kind: 'StatefulSet', name: 'web'}]}}),
    );
    expect(two.failures(id)).toHaveLength(1);
  });

  it.each([
    [
      'the kubelet rejects it',
      {spec: {containers: [{name: 'a', image: 'x'}]}, status: {phase: 'Failed', reason: 'PodOSNotSupported'}},
    ],
    ['docker rejects it', {}, 'image operating system "linux" cannot be used on this platform'],
    ['it sets spec.os', {spec: {os: {name: 'linux'}, containers: [{name: 'a', image: 'x'}]}}, 'ContainerCreating'],
    ['its tag names a Linux', {spec: {containers: [{name: 'a', image: 'registry.example/api:3.2-alpine'}]}}],
    ['it requests capabilities', {spec: {containers: [{name: 'a', image: 'x', securityContext: {privileged: true}}]}}],
  ])('recognises a Linux pod if %s', (_, change: Raw, message?: string) => {
    expect(withPod(change, message).failures(id)).toHaveLength(1);
  });

  it('recognises an image by the nodes that have it', () => {
    const own = {spec: {containers: [{name: 'a', image: 'registry.example/shop/api:7'}]}};
    const linuxNode = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {name: 'lin-9', labels: {'kubernetes.io/os': 'linux'}},
      status: {images: [{names: ['registry.example/shop/api:7']}]},
    };
    expect(withPod(own).failures(id)).toEqual([]);
    expect(withPod(own).failures('platform/image-os-build')).toHaveLength(1);
    expect(withPod(own).addObject(linuxNode).failures(id)).toHaveLength(1);
  });

  it('leaves images for another Windows to platform/image-os-build', () => {
    const older = withPod({spec: {containers: [{name: 'a', image: 'mcr.microsoft.com/windows/nanoserver:1809'}]}});
    expect(older.failures(id)).toEqual([]);
    expect(older.failures('platform/image-os-build')).toHaveLength(1);
  });

  it('passes where all pods run', () => {
    expect(healthy(antrea).outcomes(id)).toEqual(['pass']);
  });
});
