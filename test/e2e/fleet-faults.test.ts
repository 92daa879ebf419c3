import {afterEach, expect, test} from 'vitest';
import type {DoctorReport} from '../../src/diagnose/report.js';
import type {SimNode} from '../../src/sim/node/sim-node.js';
import {parseScenario} from '../../src/sim/scenarios.js';
import {type Cluster, startClusterOf} from './support.js';

const count = 60;
const scenario = parseScenario(
  'many',
  `description: ${count} healthy Windows nodes
kubernetes: v1.34.2
podNetwork: 10.128.0.0/9
plugins: { antrea: { version: v2.2.0 } }
nodes:
  - { name: ctl-1, os: linux, controlPlane: true, address: 10.40.0.11/16, podCIDR: 10.128.0.0/24 }
  - { name: "win-{i}", replicas: ${count}, address: 10.40.16.1/16, podCIDR: 10.132.0.0/24 }
`,
);

/** A fault, on how many of a hundred nodes, and what the report says about such a node. */
const troubles: readonly [percent: number, fault: Parameters<SimNode['fault']>[0], said: RegExp][] = [
  [5, {helper: {kind: 'silent'}}, /timed out after \S+ \(--timeout\)|no greeting/],
  [5, {imagePull: true}, /did not start: phase Pending, container (ErrImagePull|ImagePullBackOff)/],
  [5, {kubeletDown: true}, /Cannot run a helper: the kubelet of \S+ has not reported/],
  [2, {helper: {kind: 'wrongHash'}}, /runs a different script .* it was not used/],
  [5, {helper: {kind: 'cut', afterLines: 0}}, /was interrupted|connection was closed/],
  [2, {helper: {kind: 'onlyGarbage'}}, /only other text was received/],
];

let cluster: Cluster | undefined;
afterEach(() => cluster?.close());

test('nodes that hang, refuse, drop the connection or send garbage, and a busy API server, do not affect the others', async () => {
  cluster = await startClusterOf(scenario);
  const {simulation} = cluster;
  const nodes = [...simulation.nodes.values()].filter(({os}) => os === 'windows');
  const expected = new Map<string, RegExp>();
  for (const [percent, fault, said] of troubles) {
    for (const node of nodes.splice(0, Math.ceil((count * percent) / 100))) {
      node.fault(fault);
      expected.set(node.name, said);
    }
  }
  // Starting with the first pod, the API server rejects everything for ten seconds.
  let busyUntil: number | undefined;
  let turnedAway = 0;
  simulation.disturb(({method, target}) => {
    if (method === 'POST' && target?.type.plural === 'pods') busyUntil ??= Date.now() + 10_000;
    if (busyUntil === undefined || Date.now() > busyUntil) return undefined;
    turnedAway += 1;
    return {code: 429, retryAfter: 1};
  });

  const image = 'registry.example/helper:1';
  const args = ['doctor', '--helper-image', image, '--timeout', '90s', '-o', 'json'];
  const began = performance.now();
  const {code, stdout, stderr} = await cluster.win(...args);
  // A limit, not a performance measurement: after --timeout there is only time to remove the helpers.
  expect(performance.now() - began).toBeLessThan(90_000 + 30_000);
  const report = JSON.parse(stdout || '{}') as DoctorReport;
  expect([code, stderr]).toEqual([4, '']);
  expect(turnedAway).toBeGreaterThan(0);
  expect(report.nodes).toHaveLength(count);
  for (const {name, inspected, error = '', incomplete, results} of report.nodes) {
    const why = expected.get(name);
    if (why) expect([name, inspected, error]).toEqual([name, false, expect.stringMatching(why)]);
    else expect([name, inspected, error, incomplete]).toEqual([name, true, '', undefined]);
    if (!why) expect(results.filter(({outcome}) => outcome === 'unknown')).toEqual([]);
  }
  expect(await cluster.leftovers()).toBe('');
}, 400_000);
