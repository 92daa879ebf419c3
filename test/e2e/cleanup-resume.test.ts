import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {keys, TerminalProgram} from '../view/ink/terminal.js';
import {startFleet, statusOf} from './cleanup-support.js';
import type {Cluster} from './support.js';

const minutes = 60_000;
const program = fileURLToPath(new URL('../../bin/kubectl-win', import.meta.url));

describe('a plan that failed on a node', () => {
  let cluster: Cluster;

  /** A hard plan with seven steps that fails at its last. */
  async function failOn(node: string): Promise<void> {
    cluster.simulation.nodes.get(node)?.fault({failStep: 'service.restart'});
    const flags = ['--level=hard', '--force', '--yes', '--confirm', node, '--verify-timeout=60s'];
    expect((await cluster.win('cleanup', node, ...flags)).code).toBe(1);
    cluster.simulation.nodes.get(node)?.fault({failStep: undefined});
  }

  beforeAll(async () => {
    cluster = await startFleet('without-extension', 2);
    await failOn('win-1');
    await failOn('win-2');
  }, 4 * minutes);
  afterAll(() => cluster.close());

  it('is shown before it is resumed, and without a terminal that requires --yes', async () => {
    const {code, stderr} = await cluster.win('cleanup', 'win-1', '--resume');
    expect(code).toBe(2);
    expect(stderr).toMatch(/^win-1: Antrea on win-1: remove and recreate the network$/m);
    expect(stderr).toMatch(/^ {2}Plan [0-9a-f-]{36}, created 20\S+: failed, 6 of 7 steps done\.$/m);
    expect(stderr).toMatch(/^ {2}It failed at step 7 of 7 \(Restarts service \S+\): \S/m);
    expect(stderr).toMatch(/^ {2}Left to do: 1 of its 7 steps:\n {4}7\. Restarts service \S+\.$/m);
    expect(stderr).toContain('no terminal: --resume requires --yes');
    expect(await statusOf(cluster, 'win-1')).toMatchObject([{plans: [{state: 'failed', done: 6}]}]);
  });

  it('can be answered after Ctrl-Z and fg, on a narrow terminal without a word that is cut', async () => {
    const {KUBECONFIG, PATH} = cluster.env;
    const shell = new TerminalProgram('bash', ['--norc', '--noprofile', '-i'], {
      env: {KUBECONFIG, PATH, PS1: 'prompt> ', HOME: cluster.folder},
      columns: 44,
      rows: 40,
    });
    try {
      await shell.shows(/prompt>$/);
      shell.press('kubectl-win cleanup win-1 --resume', keys.enter);
      const asked = await shell.shows(/Resume it on win-1\? \[y\/N\]/);
      expect(asked).toMatch(/\n {2}Plan [0-9a-f-]{36},\n {2}created \S+ failed,\n {2}6 of 7 steps done\.\n/);
      shell.press(keys.ctrlZ);
      await shell.shows(/Stopped[\s\S]*prompt>$/);
      shell.press('fg', keys.enter);
      await shell.shows(/prompt> fg[\s\S]*Resume it on win-1\? \[y\/N\]/);
      shell.press('n', keys.enter);
      await shell.shows(/win-1: declined, nothing changed[\s\S]*prompt>$/);
    } finally {
      shell.close();
    }
  });

  it(
    'is unchanged if the answer is no, and is resumed if it is yes',
    async () => {
      const ask = async (answer: string) => {
        const terminal = new TerminalProgram(program, ['cleanup', 'win-1', '--resume'], {
          env: cluster.env,
          columns: 200,
        });
        await terminal.shows(/Resume it on win-1\? \[y\/N\]/);
        terminal.press(answer, '\r');
        const ended = await terminal.ended;
        // No spinner below the question, and no output of a library.
        expect(ended.screen).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]|Warning:|Ink|React/);
        expect(ended.screen).toMatch(/Left to do: 1 of its 7 steps:/);
        return ended;
      };
      const declined = await ask('n');
      expect([declined.code, declined.screen]).toEqual([
        2,
        expect.stringContaining('win-1: declined, nothing changed'),
      ]);
      expect(await statusOf(cluster, 'win-1')).toMatchObject([{plans: [{state: 'failed', done: 6}]}]);
      const agreed = await ask('y');
      expect([agreed.code, agreed.screen]).toEqual([0, expect.stringContaining('resumed and completed')]);
      expect(agreed.screen).toContain('To verify and uncordon the node: kubectl win cleanup win-1');
      expect(agreed.screen).toMatch(/7\/7 Restarts service/);
      expect(await statusOf(cluster, 'win-1')).toMatchObject([{plans: [{state: 'succeeded', done: 7}]}]);
      expect((await cluster.win('cleanup', 'win-1', '--resume', '--yes')).stdout).toBe('win-1: no unfinished plan\n');
    },
    2 * minutes,
  );

  it(
    'is undone with --rollback, which first shows what is restored and what cannot be',
    async () => {
      const {code, stdout, stderr} = await cluster.win('cleanup', 'win-2', '--rollback', '--yes');
      expect(stderr).toMatch(
        /Left to undo, last step first:\n {4}\d\. Removes HNS network .*\n {4}\d\. Removes .*\n {4}\d\. Deletes bridge br-int/,
      );
      expect(stderr).toMatch(/No undo for:\n(?: {4}.*\n)* {4}7\. Restarts service/);
      expect(stderr).toMatch(/Undone: .*HNS network/);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^win-2: plan \S+ rolled back$/m)]);
      expect(await statusOf(cluster, 'win-2')).toMatchObject([{plans: [{state: 'rolledBack'}]}]);
      const history = JSON.parse((await cluster.win('cleanup', 'win-2', '--history', '-o', 'json')).stdout);
      const trail: {from: string; what: string; user?: string; hash?: string}[] = history.items[0].entries;
      const own = trail.find(({from, what}) => from === 'audit.log' && what === 'plan.rollback');
      // The user who rolls it back, as the Events name them.
      const [, by] = /By (.+?), context/.exec(trail.findLast(({from}) => from === 'Event')?.what ?? '') ?? [];
      expect(own).toMatchObject({user: by, hash: expect.stringMatching(/^[0-9a-f]{64}$/)});
      expect(await cluster.leftovers()).toBe('');
    },
    2 * minutes,
  );
});
