import {afterEach, beforeEach, expect, test} from 'vitest';
import {type Cluster, startCluster} from './support.js';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster('antrea-healthy');
});
afterEach(() => cluster.close());

const slowDown = () => {
  for (const node of cluster.simulation.nodes.values()) node.fault({helper: {kind: 'slow', ms: 500}});
};

test('after success nothing of ours is left in the cluster', async () => {
  expect((await cluster.win('doctor')).code).toBe(0);
  expect(await cluster.leftovers()).toBe('');
});

test('after a failure nothing of ours is left in the cluster', async () => {
  for (const node of cluster.simulation.nodes.values()) node.fault({imagePull: true});
  const {code, stdout} = await cluster.win(
    'doctor',
    '--helper-image',
    'registry.example/none:1',
    '--helper-timeout',
    '2s',
  );
  expect(code).toBe(4);
  expect(stdout).toMatch(/ImagePullBackOff|ErrImagePull/);
  expect(await cluster.leftovers()).toBe('');
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('after %s while helpers run nothing of ours is left in the cluster', async (signal, exit) => {
  slowDown();
  const running = cluster.start('doctor');
  await running.printed(/Inspecting/);
  for await (const {type, object} of pods()) {
    if (type !== 'DELETED' && object.status?.phase === 'Running') break;
  }
  expect(await cluster.leftovers()).not.toBe('');
  running.child.kill(signal);
  const {code, stderr} = await running.ended;
  expect(code).toBe(exit);
  expect(stderr).toContain('Interrupted');
  expect(await cluster.leftovers()).toBe('');
});

/** Changes of our pods, directly from the simulation's store. */
async function* pods() {
  type Seen = {type: string; object: {status?: {phase?: string}}};
  const queue: Seen[] = [];
  let wake = () => {};
  const stop = cluster.simulation.store.subscribe(event => {
    const {kind, metadata} = event.object as unknown as {kind: string; metadata: {namespace?: string}};
    if (kind === 'Pod' && metadata.namespace === 'kubectl-win') queue.push(event as unknown as Seen);
    wake();
  });
  try {
    for (;;) {
      const next = queue.shift();
      if (next) yield next;
      else await new Promise<void>(resolve => (wake = resolve));
    }
  } finally {
    stop();
  }
}
