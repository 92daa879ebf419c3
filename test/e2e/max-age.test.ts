import {afterEach, expect, test} from 'vitest';
import type {DoctorReport} from '../../src/diagnose/report.js';
import {loadScenario} from '../../src/sim/scenarios.js';
import {type Cluster, startClusterOf} from './support.js';

let cluster: Cluster | undefined;
afterEach(() => cluster?.close());

test('doctor --max-age diagnoses what installed helpers read, reports when, and starts no pod', async () => {
  cluster = await startClusterOf(loadScenario('antrea-healthy'), {controllers: true});
  const {simulation} = cluster;
  const installed = await cluster.win('helper', 'install', '--interval', '1h');
  expect([installed.code, installed.stdout]).toEqual([0, expect.stringContaining('on all 2 Windows nodes')]);
  const [name = ''] = [...simulation.nodes.values()].filter(({os}) => os === 'windows').map(node => node.name);
  // Changes of a node after it was read are visible only to a new read.
  simulation.nodes.get(name)?.change(state => {
    state.sections.hnsNetworks = [];
  });

  const made: string[] = [];
  simulation.disturb(({method, target}) => {
    if (method === 'POST' && target?.type.plural === 'pods') made.push(method);
    return undefined;
  });
  const kept = await cluster.win('doctor', '--max-age', '2h', '-o', 'json');
  const {nodes} = JSON.parse(kept.stdout) as DoctorReport;
  expect(nodes).toHaveLength(2);
  const failed = nodes.flatMap(({results}) => results.filter(({outcome}) => outcome === 'fail'));
  expect(failed.map(({id, message}) => [id, message])).toEqual([]);
  expect([kept.code, kept.stderr]).toEqual([0, '']);
  for (const {readAt} of nodes) expect(Date.parse(readAt ?? '')).toBeGreaterThan(Date.now() - 600_000);

  const now = await cluster.win('doctor', '-o', 'json');
  expect(now.code).toBe(1);
  const readAt = (JSON.parse(now.stdout) as DoctorReport).nodes.map(node => node.readAt);
  expect(readAt).toEqual([undefined, undefined]);
  expect(made).toEqual([]);

  const status = await cluster.win('helper', 'status');
  expect(status.stdout).toContain('every 1h');
  const gone = await cluster.win('helper', 'uninstall');
  expect(gone.code).toBe(0);
  expect(await cluster.leftovers()).toBe('');
}, 120_000);
