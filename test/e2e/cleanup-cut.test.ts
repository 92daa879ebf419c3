import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {nodeType} from '../../src/sim/api/resource-types.js';
import {at} from '../../src/sim/json.js';
import {addressOwner, rows} from '../../src/sim/node/state.js';
import {eventually} from '../eventually.js';
import {alivePods, lostUntold, startFleet, statusOf, toldLosses} from './cleanup-support.js';
import type {Cluster, Running} from './support.js';

const minutes = 60_000;

/** Removes the network and lets it be rebuilt, although pods run on it. */
const hard = (node: string) => [node, '--level=hard', '--force'];
const start = (cluster: Cluster, node: string): Running =>
  cluster.start('cleanup', ...hard(node), '--yes', '--confirm', node, '--verify-timeout=60s');

function nodeOf({simulation}: Cluster, name: string) {
  const node = simulation.nodes.get(name);
  if (!node) throw new Error(`there is no node ${name}`);
  return node;
}

const isCordoned = ({simulation}: Cluster, name: string) =>
  at(simulation.store.get(nodeType, undefined, name), 'spec', 'unschedulable') === true;

/** Waits until no plan runs on the nodes, and returns what `--status` then shows. */
async function settled(cluster: Cluster, ...nodes: string[]) {
  return eventually('the end of all plans', async () => {
    const status = await statusOf(cluster, ...nodes);
    // A node that is temporarily cut off cannot answer.
    const isOpen = ({plans, error}: (typeof status)[number]) =>
      error !== undefined || plans.some(({state}) => state === 'running');
    return status.some(isOpen) ? undefined : status;
  });
}

describe('a hard plan', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startFleet('without-extension', 5);
  });
  afterAll(() => cluster.close());

  it(
    'loses its connection, reconnects to the node, and ends verified',
    async () => {
      const alive = alivePods(cluster);
      const told = await toldLosses(cluster, ...hard('win-1'));
      const {code, stdout, stderr} = await start(cluster, 'win-1').ended;
      expect(stderr).toContain('Connection lost, as expected during the repair');
      expect(stderr).toContain('The node is back.');
      expect(stderr).toContain('✓ Dead-man check: The node has its address and reaches the API server.');
      expect(stdout).toContain('win-1: repaired and verified');
      expect(code).toBe(0);
      expect(lostUntold(cluster, alive, told)).toEqual([]);
      expect((await cluster.win('doctor', 'win-1')).code).toBe(0);
      expect(isCordoned(cluster, 'win-1')).toBe(false);
      expect(await cluster.leftovers()).toBe('');
    },
    2 * minutes,
  );

  it(
    'continues on the node after Ctrl-C, which prints how to follow it, and finishes',
    async () => {
      const running = start(cluster, 'win-2');
      await running.printed(/✓ 2\/\d+ /);
      running.child.kill('SIGINT');
      const {code, stderr} = await running.ended;
      expect(code).toBe(130);
      expect(stderr).toContain('win-2 continues to run its plan');
      expect(stderr).toContain('kubectl win cleanup win-2 --status');
      expect(stderr).toContain('win-2 stays cordoned. To uncordon it once it is healthy: kubectl win cleanup win-2');
      expect(await settled(cluster, 'win-2')).toMatchObject([{plans: [{state: 'succeeded', done: 7, steps: 7}]}]);
      expect(await cluster.leftovers()).toBe('');
    },
    2 * minutes,
  );

  it(
    'whose uplink does not come back is undone by the node itself; the command fails and reports what was undone',
    async () => {
      const node = nodeOf(cluster, 'win-3');
      node.fault({uplinkLost: true});
      const {code, stdout, stderr} = await start(cluster, 'win-3').ended;
      expect(code).toBe(1);
      expect(stderr).toMatch(/✗ Dead-man check: No adapter has address /);
      expect(stderr).toMatch(/↶ Undone: Removes HNS network/);
      expect(stdout).toContain('win-3: failed: The plan failed on the node, which undid it and is reachable again');
      expect(stdout).toContain('Undone: hns.removeNetwork, vnic.remove, ovs.deleteBridge.');
      // On its plain NIC, or on the network that its agent has recreated since.
      expect(addressOwner(node.state, node.address)).toBeDefined();
      expect(stdout).toContain('win-3 stays cordoned');
      expect(await statusOf(cluster, 'win-3')).toMatchObject([{plans: [{state: 'rolledBack'}]}]);
      const described = await cluster.kubectl('describe', 'node', 'win-3');
      expect(described.stdout).toMatch(/Warning\s+NetworkCleanupFailed\s/);
      expect(await cluster.leftovers()).toBe('');
    },
    2 * minutes,
  );

  it(
    'with --drain evicts the pods first, and then needs no --force',
    async () => {
      const refused = await cluster.win('cleanup', 'win-5', '--level=hard', '--yes');
      expect([refused.code, refused.stdout]).toEqual([2, expect.stringContaining('Running pods would lose')]);
      const args = ['win-5', '--level=hard', '--drain'];
      const others = alivePods(cluster).filter(({node}) => node !== 'win-5');
      const {code, stdout, stderr} = await cluster.win('cleanup', ...args, '--yes', '--verify-timeout=60s');
      expect([code, stdout]).toEqual([0, expect.stringContaining('win-5: repaired and verified')]);
      expect(stderr).toMatch(/✓ 2\/\d+ Evicts/);
      expect(lostUntold(cluster, others, [])).toEqual([]);
    },
    2 * minutes,
  );

  it(
    'with a failing step stops there, and can be resumed or rolled back',
    async () => {
      const node = nodeOf(cluster, 'win-4');
      node.fault({failStep: 'service.restart'});
      const failed = await start(cluster, 'win-4').ended;
      expect(failed.code).toBe(1);
      expect(failed.stdout).toContain('Step 6 (service.restart) failed');
      expect(failed.stdout).toMatch(/^ {2}Resume it with: kubectl win cleanup win-4 --resume$/m);
      expect(failed.stdout).toContain('win-4 stays cordoned');
      const status = await cluster.win('cleanup', 'win-4', '--status');
      expect([status.code, status.stdout]).toEqual([1, expect.stringMatching(/win-4\s+\S+\s+failed\s+6\/7/)]);
      const doctor = await cluster.win('doctor', 'win-4');
      expect(doctor.stdout).toContain('repair/unfinished-plan');
      const refused = await cluster.win('cleanup', 'win-4', '--yes');
      expect([refused.code, refused.stdout]).toEqual([2, expect.stringContaining('was not finished on win-4')]);
      node.fault({failStep: undefined});
      const resumed = await cluster.win('cleanup', 'win-4', '--resume', '--yes');
      expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining('resumed and completed')]);
      expect(resumed.stderr).toContain('✓ 7/7 Restarts service ovs-vswitchd.');
      expect(await statusOf(cluster, 'win-4')).toMatchObject([{plans: [{state: 'succeeded', done: 7}]}]);
    },
    2 * minutes,
  );
});

describe('a node that loses power during a plan', () => {
  it(
    'and whose agent recreated the network is not interrupted again: resume is refused, rollback leaves it healthy',
    async () => {
      const cluster = await startFleet('without-extension', 1, {pace: {stepMs: 400, timeScale: 0.01}});
      try {
        const running = start(cluster, 'win-1');
        await running.printed(/✓ 2\/\d+ /);
        cluster.simulation.happen('win-1', 'reboot');
        expect((await running.ended).code).toBe(1);
        const networks = () => rows(nodeOf(cluster, 'win-1').state, 'hnsNetworks');
        await eventually('antrea-hnsnetwork', () => networks().find(({Name}) => Name === 'antrea-hnsnetwork'));
        const resumed = await cluster.win('cleanup', 'win-1', '--resume', '--yes');
        expect(resumed.code).toBe(1);
        expect(resumed.stderr).toContain('HNS network antrea-hnsnetwork was recreated');
        expect(resumed.stderr).toContain('kubectl win cleanup win-1 --rollback');
        const undone = await cluster.win('cleanup', 'win-1', '--rollback', '--yes');
        expect([undone.code, undone.stdout]).toEqual([0, expect.stringContaining('rolled back')]);
        expect(networks().map(({Name}) => Name)).toContain('antrea-hnsnetwork');
        expect(await statusOf(cluster, 'win-1')).toMatchObject([{plans: [{state: 'rolledBack'}]}]);
      } finally {
        await cluster.close();
      }
    },
    2 * minutes,
  );

  it(
    'is reported with the next steps by the command, by doctor and by --status, and finishes when resumed',
    async () => {
      const cluster = await startFleet('without-extension', 1, {pace: {stepMs: 400, timeScale: 0.01}});
      try {
        nodeOf(cluster, 'win-1').fault({agentStuck: true});
        const running = start(cluster, 'win-1');
        await running.printed(/✓ 2\/\d+ /);
        cluster.simulation.happen('win-1', 'reboot');
        const {code, stdout} = await running.ended;
        expect(code).toBe(1);
        expect(stdout).toContain('The node was restarted during the plan');
        expect(stdout).toContain('kubectl win cleanup win-1 --resume');
        expect(await statusOf(cluster, 'win-1')).toMatchObject([{plans: [{state: 'interrupted'}]}]);
        expect((await cluster.win('doctor', 'win-1')).stdout).toMatch(/repair\/unfinished-plan.*\n.*interrupted/);
        const resumed = await cluster.win('cleanup', 'win-1', '--resume', '--yes');
        expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining('resumed and completed')]);
        expect(await statusOf(cluster, 'win-1')).toMatchObject([{plans: [{state: 'succeeded', done: 7}]}]);
      } finally {
        await cluster.close();
      }
    },
    2 * minutes,
  );
});

describe('a client that is killed', () => {
  /** When the client is killed: after each line that it prints. */
  const places = [
    /✓ 1\/\d+ Cordons/,
    /✓ 2\/\d+ Deletes bridge/,
    /Connection lost/,
    /The node is back/,
    /✓ 3\/\d+ Removes the node's virtual adapter/,
    /✓ 4\/\d+ Removes HNS network/,
    /✓ 7\/\d+ Renews/,
    /✓ 8\/\d+ Restarts service ovs-vswitchd/,
    /✓ 9\/\d+ Deletes pod/,
  ];

  it(
    'at each step in turn leaves the node to finish alone, and --status reports it correctly',
    async () => {
      const cluster = await startFleet('without-extension', places.length);
      try {
        for (const [index, place] of places.entries()) {
          const running = start(cluster, `win-${index + 1}`);
          await running.printed(place);
          running.child.kill('SIGKILL');
          expect((await running.ended).signal).toBe('SIGKILL');
        }
        const status = await settled(cluster);
        expect(status).toHaveLength(places.length);
        for (const {node, plans} of status) {
          const {state} = nodeOf(cluster, node);
          // Killed before it handed over the plan: nothing happened, and nothing is reported.
          const untouched = rows(state, 'hnsNetworks').some(({Name}) => Name === 'antrea-hnsnetwork');
          if (node === 'win-1' && plans.length === 0) expect(untouched).toBe(true);
          else expect([node, plans]).toMatchObject([node, [{state: 'succeeded', done: 7, steps: 7}]]);
        }
        const pruned = await cluster.win('helper', 'prune');
        expect(pruned.code).toBe(0);
      } finally {
        await cluster.close();
      }
    },
    5 * minutes,
  );
});
