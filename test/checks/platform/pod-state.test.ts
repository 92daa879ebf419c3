import {describe, expect, it} from 'vitest';
import {complaintsOf, isPodHealthy} from '../../../src/checks/platform/pod-state.js';
import {ClusterModel, type Pod} from '../../../src/snapshot/cluster.js';

const pod = (status: object | undefined) =>
  ({metadata: {name: 'web', namespace: 'shop'}, spec: {}, status}) as unknown as Pod;

describe('a pod', () => {
  it.each([
    [{phase: 'Running', containerStatuses: [{ready: true}, {ready: true}]}, true],
    [{phase: 'Running', containerStatuses: [{ready: true}, {ready: false}]}, false],
    [{phase: 'Succeeded', containerStatuses: [{ready: false}]}, true],
    [{phase: 'Running', containerStatuses: []}, false],
    [{phase: 'Pending'}, false],
    [undefined, false],
  ])('is healthy if it has completed or all of its containers are ready: %j', (status, healthy) => {
    expect(isPodHealthy(pod(status))).toBe(healthy);
  });

  it('has errors in its status and in its own events only', () => {
    const event = (message: string, about: object) => ({
      kind: 'Event',
      metadata: {name: 'e'},
      message,
      involvedObject: {kind: 'Pod', name: 'web', namespace: 'shop', ...about},
    });
    const its = pod({
      message: 'evicted',
      initContainerStatuses: [{state: {waiting: {message: 'init'}}}],
      containerStatuses: [{state: {terminated: {message: 'ended'}}, lastState: {terminated: {message: 'before'}}}],
    });
    const cluster = new ClusterModel([
      event('own', {}),
      event('another pod', {name: 'db'}),
      event('another namespace', {namespace: 'test'}),
      event('another kind', {kind: 'Deployment'}),
    ]);
    expect(complaintsOf(its, cluster)).toEqual(['evicted', 'init', 'ended', 'before', 'own']);
    expect(complaintsOf(pod(undefined), new ClusterModel())).toEqual([]);
  });
});
