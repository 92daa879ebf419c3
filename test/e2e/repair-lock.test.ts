import {afterEach, expect, it} from 'vitest';
import {nodeType} from '../../src/sim/api/resource-types.js';
import {at} from '../../src/sim/json.js';
import {eventually} from '../eventually.js';
import {startFleet} from './cleanup-support.js';
import type {Cluster} from './support.js';

let cluster: Cluster | undefined;
afterEach(async () => {
  await cluster?.close();
  cluster = undefined;
});

const lock = 'kubectl-win/repair-in-progress';
const win1 = ({simulation}: Cluster) => simulation.store.find(nodeType, undefined, 'win-1');
const lockOf = (one: Cluster) => at(win1(one), 'metadata', 'annotations', lock);
const isCordoned = (one: Cluster) => at(win1(one), 'spec', 'unschedulable') === true;

it('of two cleanups of one node one runs; the other leaves the cordon alone and names the first', async () => {
  cluster = await startFleet('rebooted', 1, {pace: {stepMs: 2500, timeScale: 0.05, cutMs: 300, retryMs: 200}});
  const one = cluster.start('cleanup', 'win-1', '--yes');
  const other = cluster.start('cleanup', 'win-1', '--yes');
  const first = await Promise.race([one.ended, other.ended]);
  expect([first.code, first.stdout]).toEqual([
    2,
    expect.stringMatching(/refused: A repair by .* is in progress on win-1/),
  ]);
  expect(lockOf(cluster)).toEqual(expect.stringContaining('"plan"'));
  expect(isCordoned(cluster)).toBe(true);
  const codes = (await Promise.all([one.ended, other.ended])).map(({code}) => code).sort();
  expect(codes).toEqual([0, 2]);
  expect([lockOf(cluster), isCordoned(cluster)]).toEqual([undefined, false]);
}, 120_000);

it('takes over from a killed run', async () => {
  cluster = await startFleet('rebooted', 1);
  const value = JSON.stringify({plan: 'x', by: 'eve\u001b]52;c;QQ\u0007', run: 'gone', since: 'long ago', renewals: 3});
  await cluster.kubectl('annotate', 'node', 'win-1', `${lock}=${value}`);
  const {code, stderr} = await cluster.win('cleanup', 'win-1', '--yes');
  expect(stderr).toContain('win-1 is locked by a repair by eve (plan x, since long ago), which may have been killed');
  expect(stderr).not.toContain('\u001b]');
  expect(code).toBe(0);
  expect(lockOf(cluster)).toBeUndefined();
}, 120_000);

it('leaves an audit trail: an Event for every change, the log of the node, and --history shows both', async () => {
  cluster = await startFleet('rebooted', 1);
  expect((await cluster.win('cleanup', 'win-1', '--yes')).code).toBe(0);
  const {stdout} = await cluster.win('cleanup', 'win-1', '--history', '-o', 'json');
  const [{entries}] = (JSON.parse(stdout) as {items: [{entries: {from: string; what: string; user?: string}[]}]}).items;
  const said = (from: string) => entries.filter(entry => entry.from === from).map(({what}) => what);
  const logged = [
    'plan.run',
    expect.stringContaining('step ovs.deleteBridge {"bridge":"br-int"}'),
    'plan.end succeeded',
  ];
  expect(said('audit.log')).toEqual(expect.arrayContaining(logged));
  expect(entries.find(({from}) => from === 'audit.log')).toMatchObject({context: 'rebooted', hash: expect.any(String)});
  const reasons = [
    'NetworkRepairStarted: ',
    'Cordons win-1.',
    'The node did ovs.deleteBridge',
    'Deletes pod',
    'Uncordons',
  ];
  for (const reason of reasons) expect(said('Event')).toContainEqual(expect.stringContaining(reason));
  expect(
    said('Event').every(what => /By .+, context rebooted, plan [0-9a-f-]{36}, hash [0-9a-f]{64}\./.test(what)),
  ).toBe(true);
}, 120_000);

it('an interruption right after the cordon uncordons the node, and says so', async () => {
  cluster = await startFleet('rebooted', 1);
  // The node does not get its plan: the helper cannot be restarted.
  cluster.simulation.disturb(({method, path}) =>
    method === 'POST' && path.includes('/pods') && cluster && isCordoned(cluster) ? {code: 503} : undefined,
  );
  const run = cluster.start('cleanup', 'win-1', '--yes');
  await eventually('the cordon', () => cluster && isCordoned(cluster));
  run.child.kill('SIGTERM');
  const {code, stderr} = await run.ended;
  expect([code, stderr]).toEqual([
    143,
    expect.stringContaining('the network of win-1 was not changed, and the node is not cordoned'),
  ]);
  expect([lockOf(cluster), isCordoned(cluster)]).toEqual([undefined, false]);
}, 120_000);
