import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, afterEach, beforeAll, describe, expect, test} from 'vitest';
import {parseScenario} from '../../src/sim/scenarios.js';
import {type Cluster, type Ended, startCluster, startClusterOf, win} from './support.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster('antrea-healthy');
});
afterAll(() => cluster.close());
afterEach(async () => {
  expect(await cluster.leftovers()).toBe('');
});

/** One sentence after "error:", the next step below it, the documented code, and no stack. */
function expectRefusal({code, stdout, stderr}: Ended, exit: number, message: RegExp): void {
  expect(stderr).toMatch(message);
  expect(stderr).toMatch(/^error: [^\n]+\n(?: {2}[^\n]+\n)*$/m);
  expect(stderr).not.toMatch(/^\s+at .*:\d+/m);
  expect(stdout).toBe('');
  expect(code).toBe(exit);
}

test('an unknown node', async () => {
  expectRefusal(await cluster.win('doctor', 'win-11'), 2, /Node "win-11" not found\.[\s\S]*Did you mean win-1/);
});

test('a Node version that is too old', async () => {
  const old = `Object.defineProperty(process.versions,'node',{value:'20.1.0'});process.getBuiltinModule=()=>{throw(Error('none'))}`;
  const env = {NODE_OPTIONS: `--import=data:text/javascript,${old}`};
  expectRefusal(await win(['doctor'], env), 2, /kubectl win requires Node \d+\.\d+ or newer \(found 20\.1\.0\)/);
});

test('a user without a home folder, as in a container', async () => {
  const hook = join(cluster.folder, 'homeless.mjs');
  writeFileSync(
    hook,
    `import os from 'node:os';
     import {syncBuiltinESMExports} from 'node:module';
     os.homedir = () => { throw new Error('ENOENT'); };
     syncBuiltinESMExports();`,
  );
  const homeless = {HOME: '', KUBECONFIG: '', NODE_OPTIONS: `--import=${hook}`};
  expectRefusal(await win(['doctor'], homeless), 2, /^error: (?!unexpected)/);
});

test('a Linux node', async () => {
  const linux = [...cluster.simulation.nodes.values()].find(({os}) => os === 'linux');
  expectRefusal(await cluster.win('doctor', linux?.name ?? ''), 2, /is not a Windows node/);
});

test('a selector without a matching Windows node', async () => {
  expectRefusal(await cluster.win('doctor', '-l', 'pool=none'), 2, /No Windows nodes found/);
});

test('an API server that does not answer', async () => {
  expectRefusal(
    await cluster.win('doctor', '-s', 'https://127.0.0.1:1'),
    4,
    /127\.0\.0\.1:1[\s\S]*refused the connection/,
  );
});

test('a wrong context', async () => {
  expectRefusal(
    await cluster.win('doctor', '--context', 'prod'),
    2,
    /The context "prod" does not exist[\s\S]*antrea-healthy/,
  );
});

test('a kubeconfig that is not YAML', async () => {
  const path = join(cluster.folder, 'broken');
  writeFileSync(path, 'apiVersion: v1\n  kind: [');
  expectRefusal(await cluster.win('doctor', '--kubeconfig', path), 2, new RegExp(path));
});

test('no kubeconfig at all', async () => {
  expectRefusal(await win(['doctor'], {HOME: '/nonexistent'}), 2, /kubeconfig/);
});

test('a token that the server rejects', async () => {
  expectRefusal(await cluster.win('doctor', '--token', 'wrong'), 3, /credentials|Unauthorized|log in/i);
});

test('an unknown output format', async () => {
  expectRefusal(
    await cluster.win('doctor', '-o', 'nonsense'),
    2,
    /unable to match a printer suitable for the output format "nonsense", allowed formats are: text/,
  );
});

test('an unknown flag and an unknown command', async () => {
  expectRefusal(await cluster.win('doctor', '--nonsense'), 2, /--nonsense/);
  expectRefusal(await cluster.win('docter'), 2, /unknown command "docter"[\s\S]*kubectl win doctor/);
});

test('a namespace that does not exist', async () => {
  expectRefusal(
    await cluster.win('doctor', '--helper-namespace', 'nowhere'),
    2,
    /The namespace "nowhere" for helper pods does not exist/,
  );
});

test('an invalid snapshot file', async () => {
  const path = join(cluster.folder, 'snapshot.json');
  expectRefusal(await win(['doctor', '--from', path]), 2, /cannot read/);
  writeFileSync(path, '{"kind": "Pod"}');
  expectRefusal(await win(['doctor', '--from', path]), 2, /is not a valid snapshot/);
  writeFileSync(path, '{');
  expectRefusal(await win(['doctor', '--from', path]), 2, /neither JSON nor YAML/);
});

describe('a cluster with obstacles', () => {
  const scenario = (changes: string, node = '') =>
    parseScenario(
      'obstacles',
      `description: obstacles
kubernetes: v1.31.4
podNetwork: 10.124.0.0/16
plugins: {antrea: {version: v2.2.0}}
nodes:
  - {name: lx-1, os: linux, controlPlane: true, address: 10.21.40.11/24, podCIDR: 10.124.0.0/24}
${node}
${changes}`,
    );
  const windows = '  - {name: win-1, address: 10.21.40.61/24, podCIDR: 10.124.1.0/24}';

  async function inCluster(text: string, node: string, body: (cluster: Cluster) => Promise<void>): Promise<void> {
    const own = await startClusterOf(scenario(text, node));
    try {
      await body(own);
      expect(await own.leftovers()).toBe('');
    } finally {
      await own.close();
    }
  }

  test('no Windows node at all', () =>
    inCluster('', '', async own => {
      expectRefusal(await own.win('doctor'), 2, /No Windows nodes found among the 1 nodes/);
    }));

  test('a namespace that enforces restricted', () =>
    inCluster(
      'namespaces: {locked: {labels: {pod-security.kubernetes.io/enforce: restricted}}}',
      windows,
      async own => {
        expectRefusal(
          await own.win('doctor', '--helper-namespace', 'locked'),
          3,
          /locked[\s\S]*pod-security\.kubernetes\.io\/enforce/,
        );
      },
    ));

  test('a node on Docker is reported separately, with the manual procedure', () =>
    inCluster('', windows.replace('}', ', faults: {docker: true}}'), async own => {
      const {code, stdout} = await own.win('doctor', '-o', 'short');
      expect(stdout).toMatch(/win-1[\s\S]*Docker[\s\S]*kubectl win helper script/);
      expect(code).toBe(4);
    }));

  test('a read-only user is told what is missing before anything is created', () =>
    inCluster('access: viewer', windows, async own => {
      expectRefusal(await own.win('doctor'), 3, /create[\s\S]*pods/);
    }));
});
