import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import type {DoctorReport} from '../../src/diagnose/report.js';
import {onRealApi} from '../apiserver/chosen-api.js';
import {type Cluster, startCluster} from './support.js';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster('antrea-healthy');
});
afterEach(() => cluster.close());

const firstNode = () => [...cluster.simulation.nodes.values()].find(({os}) => os === 'windows');

describe.each([
  ['a connection cut in the middle of exec', {kind: 'cut'}],
  ['output cut short with a success status', {kind: 'truncate'}],
  ['half a line', {kind: 'halfLine'}],
  ['no output at all', {kind: 'empty'}],
  ['nothing but garbage', {kind: 'onlyGarbage'}],
] as const)('%s', (_, fault) => {
  test('is detected and retried: a temporary fault has no effect', async () => {
    firstNode()?.fault({helper: {...fault, once: true}});
    const {code, stdout} = await cluster.win('doctor', '-o', 'json');
    expect((JSON.parse(stdout) as DoctorReport).nodes.map(({inspected}) => inspected)).toEqual([true, true]);
    expect(code).toBe(0);
  });

  test('is reported if it persists: exit 4, the node named, the others complete, nothing left behind', async () => {
    const broken = firstNode();
    broken?.fault({helper: fault});
    const {code, stdout} = await cluster.win('doctor', '-o', 'json');
    const report = JSON.parse(stdout) as DoctorReport;
    const uninspected = report.nodes.filter(({inspected}) => !inspected);
    expect(uninspected.map(({name}) => name)).toEqual([broken?.name]);
    expect(uninspected[0]?.error).toMatch(/interrupted/);
    expect(code).toBe(4);
    expect(await cluster.leftovers()).toBe('');
  });
});

test('a helper that never answers does not delay the run beyond --timeout', async () => {
  const broken = firstNode();
  broken?.fault({helper: {kind: 'silent'}});
  // This makes the server translate and answer pings itself, regardless of the node.
  const translated = ['--subresource=status', '--type=merge', '-p', '{"status":{"declaredFeatures":null}}'];
  if (onRealApi) await cluster.kubectl('patch', 'node', broken?.name ?? '', ...translated);
  const seconds = onRealApi ? 20 : 3;
  const {code, stdout} = await cluster.win('doctor', '--timeout', `${seconds}s`, '-o', 'json');
  const report = JSON.parse(stdout) as DoctorReport;
  expect(report.nodes.find(({name}) => name === broken?.name)?.error).toContain(
    `timed out after ${seconds}s (--timeout)`,
  );
  expect(code).toBe(4);
  expect(await cluster.leftovers()).toBe('');
});

// A real API server cannot be made slow.
test.skipIf(onRealApi)('an API server that never answers ends the run at --timeout', async () => {
  cluster.simulation.slowList(3_600_000);
  const {code, stderr} = await cluster.win('doctor', '--timeout', '2s');
  expect(stderr).toContain('error: reading the cluster timed out after 2s (--timeout).');
  expect(code).toBe(4);
});

test('a helper with other scripts is rejected', async () => {
  const broken = firstNode();
  broken?.fault({helper: {kind: 'wrongHash'}});
  const {code, stdout} = await cluster.win('doctor', '-o', 'json');
  const report = JSON.parse(stdout) as DoctorReport;
  expect(report.nodes.find(({name}) => name === broken?.name)?.inspected).toBe(false);
  expect(code).toBe(4);
});
