import {afterAll, beforeAll, expect, test} from 'vitest';
import {type Cluster, startCluster} from './support.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster('antrea-reboot');
});
afterAll(() => cluster.close());

test('logs marks a known error and explains it', async () => {
  const {stdout, code} = await cluster.win('logs', 'win-1', '--component', 'ovs');
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /ovs-vswitchd +.*No such device\)\n +\^ the OVS database has ports whose switch no longer exists/,
  );
  expect(stdout).not.toMatch(/^antrea-agent/m);
});

test('logs of a component that the node does not have lists those that it has', async () => {
  const {stderr, code} = await cluster.win('logs', 'win-1', '--component', 'flannel');
  expect(code).toBe(2);
  expect(stderr).toMatch(/no logs of component "flannel".*\n.*ovs-vswitchd/);
});

test('events lists what Windows recorded about services, and counts for programs', async () => {
  const {stdout, code} = await cluster.win('events', 'win-1');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^TIME +LEVEL +SOURCE +ID +MESSAGE\n/);
  expect(stdout).toMatch(/Error +Service Control Manager +7034 /);
  const ids = await cluster.win('events', 'win-1', '-o', 'jsonpath={.items[*].id}');
  expect(ids.stdout.split(' ')).toContain('7034');
});

test('logs -f prints new lines once, and exits on Ctrl-C with nothing left behind', async () => {
  const running = cluster.start('logs', 'win-1', '-f', '--component', 'ovs');
  await running.printed(/No such device/);
  cluster.simulation.nodes.get('win-1')?.change(({sections}) => {
    const logs = sections.logs as {Path: string; Tail: string}[];
    const log = logs.find(({Path}) => Path.endsWith('ovs-vswitchd.log'));
    if (log) log.Tail += `${new Date().toISOString()}|09999|bridge|WARN|a line that is new\n`;
  });
  await running.printed(/a line that is new/);
  running.child.kill('SIGINT');
  const {stdout, code} = await running.ended;
  expect(code).toBe(130);
  expect(stdout.match(/a line that is new/g)).toHaveLength(1);
  expect(await cluster.leftovers()).toBe('');
});
