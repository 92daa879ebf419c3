import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import type {DoctorReport} from '../../src/diagnose/report.js';
import type {Disturbed} from '../../src/sim/api/disturbance.js';
import {rows} from '../../src/sim/node/state.js';
import {sectionNames} from '../../src/snapshot/section-names.js';
import {type Cluster, startCluster} from './support.js';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster('antrea-healthy');
});
afterEach(() => cluster.close());

const windows = () => [...cluster.simulation.nodes.values()].filter(({os}) => os === 'windows');
const endpoints = () => windows().map(({state}) => rows(state, 'hnsEndpoints').length);
const denied = Object.fromEntries(
  sectionNames.map(name => [name, {kind: 'AccessDenied' as const, message: 'Access is denied.'}]),
);

/** Fails the list of a kind, this often and after this many successes. */
function failLists(plural: string, {after = 0, times}: {after?: number; times: number}): void {
  let seen = 0;
  cluster.simulation.disturb(({method, target}: Disturbed) => {
    if (method !== 'GET' || target?.type.plural !== plural || target.name !== undefined) return undefined;
    seen += 1;
    return seen > after && seen <= after + times ? {code: 500} : undefined;
  });
}

describe.each<[string, () => void, healthy: number | undefined]>([
  [
    'a helper that greets and exits',
    () => {
      for (const node of windows()) node.fault({helper: {kind: 'noSections'}});
    },
    0,
  ],
  [
    'a helper without read access',
    () => {
      for (const node of windows()) node.fault({sectionErrors: denied});
    },
    0,
  ],
  ['a list of pods that always fails', () => failLists('pods', {times: 1000}), undefined],
])('%s', (_, fault, healthy) => {
  test('is not a healthy node, and nothing on it is removed', async () => {
    fault();
    const before = endpoints();
    const doctor = await cluster.win('doctor', '--request-timeout=2s', '-o', 'json');
    const report = doctor.stdout === '' ? undefined : (JSON.parse(doctor.stdout) as DoctorReport);
    expect(report?.summary.healthy).toBe(healthy);
    expect([3, 4]).toContain(doctor.code);
    const cleanup = await cluster.win('cleanup', '--all', '--yes', '--level=medium', '--request-timeout=2s');
    expect([3, 4]).toContain(cleanup.code);
    expect(endpoints()).toEqual(before);
  });
});

test.each([
  ['pods', {times: 2}],
  ['nodes', {after: 1, times: 1}],
])('lists of %s that fail temporarily remove no endpoint of a running pod', async (plural, failing) => {
  const before = endpoints();
  failLists(plural, failing);
  const cleanup = await cluster.win('cleanup', '--all', '--yes', '--level=medium', '--request-timeout=2s');
  expect(cleanup.stdout).not.toMatch(/removed? .*endpoint/i);
  expect([0, 3, 4]).toContain(cleanup.code);
  expect(endpoints()).toEqual(before);
});
