import {afterAll, beforeAll, expect, test} from 'vitest';
import {type Cluster, startCluster} from './support.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster('antrea-reboot');
});
afterAll(() => cluster.close());

test('doctor --watch prints the problems, then changes, and exits on Ctrl-C with nothing left behind', async () => {
  const running = cluster.start('doctor', '--watch', '--interval', '1s', '-o', 'json');
  await running.printed(/"change":"found","node":"win-1","check":"ovs\/stale-bridge".*\n/);
  const sectionErrors = {ovs: {kind: 'Timeout' as const, message: 'It took too long.'}};
  cluster.simulation.nodes.get('win-1')?.fault({sectionErrors});
  await running.printed(/"change":"undetermined","node":"win-1","check":"ovs\/stale-bridge".*\n/);
  running.child.kill('SIGINT');
  const {code, stdout, stderr} = await running.ended;
  expect(code).toBe(130);
  expect(stderr).not.toMatch(/error:/);
  const lines = stdout.trimEnd().split('\n');
  for (const line of lines) {
    const change = JSON.parse(line);
    expect(change).toMatchObject({apiVersion: 'kubectl-win/v1', kind: 'DoctorChange', message: expect.any(String)});
    expect(new Date(change.at).getTime()).not.toBeNaN();
  }
  expect(lines.filter(line => /"found".*ovs\/stale-bridge/.test(line))).toHaveLength(1);
  expect(await cluster.leftovers()).toBe('');
});

test('--watch supports only text and JSON lines, and no file', async () => {
  expect(await cluster.win('doctor', '--watch', '-o', 'html')).toMatchObject({code: 2});
  expect(await cluster.win('doctor', '--watch', '--from', 'snapshot.json')).toMatchObject({code: 2});
});
