import {afterEach, expect, it, vi} from 'vitest';
import {allChecks, checkNode, subjectOf} from '../../src/diagnose/engine.js';
import {withPlannedRemedies} from '../../src/repair/plan/planned-remedies.js';
import {ClusterModel} from '../../src/snapshot/cluster.js';
import {caseNames, scenario} from '../checks/support.js';

/** A large cluster has thousands of each. */
const many = ['EndpointSlice', 'Event', 'Node', 'Pod', 'Service'];

afterEach(() => vi.restoreAllMocks());

it.each(caseNames)('no list that grows with the cluster is read again for each node: %s', name => {
  const snapshot = scenario(name)
    .listed()
    .addObject(failingPod(Object.keys(scenario(name).document.nodes)[0] ?? ''))
    .read();
  const [node = ''] = snapshot.nodes.keys();
  const diagnose = () => {
    const subject = subjectOf(snapshot, node, 0);
    return withPlannedRemedies(subject, checkNode(subject, allChecks));
  };
  const read = vi.spyOn(ClusterModel.prototype, 'known');
  const lists = () => [...new Set(read.mock.calls.map(([kind]) => kind))].filter(kind => many.includes(kind));
  const first = diagnose();
  expect(lists()).not.toEqual([]);
  read.mockClear();
  expect(diagnose()).toEqual(first);
  expect(lists()).toEqual([]);
});

/** Makes checks look for its events and its image. */
const failingPod = (nodeName: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {name: 'web', namespace: 'shop', ownerReferences: [{kind: 'ReplicaSet', name: 'web-1'}]},
  spec: {nodeName, containers: [{name: 'web', image: 'registry.example.com/shop/web:1'}]},
  status: {
    phase: 'Pending',
    containerStatuses: [
      {
        name: 'web',
        ready: false,
        state: {waiting: {message: 'no matching manifest for windows/amd64 in the manifest list entries'}},
      },
    ],
  },
});
