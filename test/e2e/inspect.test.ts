import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {type Cluster, startCluster, win} from './support.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster('antrea-reboot');
});
afterAll(() => cluster.close());

const caseFile = (name: string) => fileURLToPath(new URL(`../fixtures/cases/${name}.json`, import.meta.url));

test('inspect draws a node of a cluster, marks what a reboot broke, and leaves nothing behind', async () => {
  const {code, stdout} = await cluster.win('inspect', 'win-1');
  expect(stdout).toMatch(/^✗ antrea-hnsnetwork ← hns\/network-present, .* {2}HNS network: missing/m);
  expect(stdout).toMatch(/✗ br-int ← ovs\/stale-bridge.* {2}OVS bridge/);
  expect(stdout).toMatch(/^Windows services$/m);
  expect(code).toBe(0);
  expect(await cluster.leftovers()).toBe('');
});

test('inspect without a name explains how to find one', async () => {
  const {code, stderr} = await cluster.win('inspect');
  expect(stderr).toMatch(/requires the name of a Windows node[\s\S]*kubectl win nodes/);
  expect(code).toBe(2);
});

test('inspect --from uses the only node of a snapshot, and asks for a name if there are several', async () => {
  const only = await win(['inspect', '--from', caseFile('01-antrea-healthy'), '-o', 'mermaid']);
  expect(only.stdout).toMatch(/^flowchart TD$/m);
  const several = await win(['inspect', '--from', caseFile('06-flannel-overlay-healthy')]);
  expect(several.stderr).toMatch(/has 2 Windows nodes[\s\S]*fl-win-a, fl-win-b/);
  expect(several.code).toBe(2);
});
