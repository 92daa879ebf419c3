import {fileURLToPath} from 'node:url';
import {afterEach, describe, expect, it} from 'vitest';
import type {DoctorReport} from '../../src/diagnose/report.js';
import {isObject, listAt} from '../../src/sim/json.js';
import {rows} from '../../src/sim/node/state.js';
import {firewall} from '../../src/sim/node/windows.js';
import {keys, TerminalProgram} from '../view/ink/terminal.js';
import {startFleet} from './cleanup-support.js';
import {type Cluster, startCluster, win} from './support.js';

const minutes = 60_000;
const program = fileURLToPath(new URL('../../bin/kubectl-win', import.meta.url));
const live = {controllers: true, pace: {stepMs: 30, retryMs: 300}};

let cluster: Cluster;
afterEach(() => cluster.close());

function nodeOf(name: string) {
  const node = cluster.simulation.nodes.get(name);
  if (!node) throw new Error(`there is no node ${name}`);
  return node;
}

const rulesOf = (name: string) => listAt(nodeOf(name).state.sections.firewall, 'Rules').filter(isObject);
const isOpen = (name: string) => rulesOf(name).some(({LocalPort}) => LocalPort === '10250');

/** A firewall that blocks the kubelet port: a warning that a rule repairs without an interruption. */
function shut(...names: string[]): void {
  for (const name of names) {
    const others = rulesOf(name).filter(({LocalPort}) => LocalPort !== '10250');
    nodeOf(name).change(state => {
      state.sections.firewall = firewall(true, others);
    });
  }
}

describe('doctor --fix', () => {
  it('without a terminal shows the plan, changes nothing, and says that it requires --yes', async () => {
    cluster = await startCluster('flannel-hostgw', live);
    shut('hg-win-1');
    const {code, stdout, stderr} = await cluster.win('doctor', '--fix');
    expect(stdout).toContain('net/firewall');
    expect(stderr).toContain('Allows inbound TCP 10250, with firewall rule kubectl-win-TCP-10250.');
    expect(stderr).toContain('no terminal: pass --yes');
    expect(code).toBe(2);
    expect(isOpen('hg-win-1')).toBe(false);
    expect(await cluster.leftovers()).toBe('');
  });

  it('with --yes repairs, diagnoses again, and exits by that result', async () => {
    cluster = await startCluster('flannel-hostgw', live);
    shut('hg-win-1');
    const {code, stdout} = await cluster.win('doctor', '--fix', '--yes', '--fail-on', 'warning');
    expect(stdout).toMatch(/net\/firewall[\s\S]*hg-win-1: repaired and verified[\s\S]*no problems found\n$/);
    expect(code).toBe(0);
    expect(isOpen('hg-win-1')).toBe(true);
    expect(await cluster.leftovers()).toBe('');
  });

  it(
    'asks for each node, and does only what is approved',
    async () => {
      cluster = await startCluster('flannel-hostgw', live);
      shut('hg-win-1', 'hg-win-2');
      const args = ['doctor', '--fix', '--fail-on', 'warning'];
      const terminal = new TerminalProgram(program, args, {env: cluster.env, rows: 60});
      await terminal.shows(/Flannel on hg-win-1: [\s\S]*y run/);
      terminal.press(keys.escape);
      await terminal.shows(/Flannel on hg-win-2: [\s\S]*y run/);
      terminal.press('y');
      const {code, screen} = await terminal.ended;
      expect(screen).toContain('hg-win-1: declined, nothing changed');
      expect(screen).toContain('hg-win-2: repaired and verified');
      expect(code).toBe(1);
      expect([isOpen('hg-win-1'), isOpen('hg-win-2')]).toEqual([false, true]);
    },
    2 * minutes,
  );

  it('writes one document to stdout, which describes the final state', async () => {
    cluster = await startCluster('flannel-hostgw', live);
    shut('hg-win-1');
    const {code, stdout, stderr} = await cluster.win('doctor', '--fix', '--yes', '-o', 'json');
    const {summary} = JSON.parse(stdout) as DoctorReport;
    expect(summary).toMatchObject({errors: 0, warnings: 0, healthy: 2});
    expect(stderr).toContain('hg-win-1: repaired and verified');
    expect(code).toBe(0);
  });

  it('repairs no finding that was not approved', async () => {
    cluster = await startCluster('flannel-hostgw', live);
    shut('hg-win-1');
    const {code, stdout} = await cluster.win('doctor', '--fix', '--yes', '--only', 'hns', '--fail-on', 'warning');
    expect(stdout).toContain('no problems found');
    expect(code).toBe(0);
    expect(isOpen('hg-win-1')).toBe(false);
  });

  it('does nothing if nothing is wrong', async () => {
    cluster = await startCluster('flannel-hostgw', live);
    const {code, stdout, stderr} = await cluster.win('doctor', '--fix');
    expect([code, stdout.match(/no problems found/g)]).toEqual([0, ['no problems found']]);
    expect(stderr).not.toContain('error');
  });

  it('leaves manual actions to the user, and still exits with 1', async () => {
    cluster = await startCluster('kube-ovn', live);
    cluster.simulation.happen('kovn-win-1', 'tunnel-annotation-wrong');
    const {code, stdout} = await cluster.win('doctor', '--fix', '--yes');
    expect(stdout).toContain('tunnel/annotation-resolves');
    expect(stdout).toContain('kovn-win-1: nothing to do: See the report for how to repair tunnel/annotation-resolves');
    expect(code).toBe(1);
    expect((await cluster.win('cleanup', '--status')).stdout).toContain('No plans on these nodes.');
  });

  it(
    "never does what interrupts a node's network, not even combined with what it may do",
    async () => {
      cluster = await startFleet('without-extension', 2);
      shut('win-2');
      const {code, stdout, stderr} = await cluster.win('doctor', '--fix', '--yes');
      expect(stdout).toMatch(
        /win-1: nothing to do: .*Repairing .*interrupts the node's network.*kubectl win cleanup win-1/,
      );
      expect(stderr).not.toContain('Enables the Open vSwitch extension');
      expect(code).toBe(1);
      for (const name of ['win-1', 'win-2']) {
        const extensions = rows(nodeOf(name).state, 'vmSwitchExtensions');
        expect(extensions.find(({Name}) => /Open vSwitch/.test(String(Name)))).toMatchObject({Enabled: false});
      }
    },
    2 * minutes,
  );

  it.each([['--yes'], []])(
    'never runs a plan that interrupts the network because the agent recreates it, and names the command that would (%s)',
    async (...consent: string[]) => {
      cluster = await startCluster('antrea-reboot', live);
      const {code, stdout, stderr} = await cluster.win('doctor', '--fix', ...consent);
      expect(stdout).toMatch(
        /win-1: nothing to do: .*Repairing .*ovs\/stale-bridge.* interrupts the node's network.* kubectl win cleanup win-1/,
      );
      expect(stderr).not.toContain('Deletes');
      expect(code).toBe(1);
      expect((await cluster.win('cleanup', '--status')).stdout).toContain('No plans on these nodes.');
    },
    2 * minutes,
  );

  it(
    'repairs a node after a reboot if nothing is interrupted',
    async () => {
      cluster = await startCluster('flannel-reboot', live);
      shut('fl-win-a');
      const {code, stdout} = await cluster.win('doctor', '--fix', '--yes');
      expect(stdout).toContain('fl-win-a: repaired and verified');
      expect(isOpen('fl-win-a')).toBe(true);
      expect(code).toBe(0);
    },
    2 * minutes,
  );

  it(
    'exits with 1 if a node is not healthy afterwards',
    async () => {
      cluster = await startCluster('flannel-hostgw', live);
      shut('hg-win-1');
      nodeOf('hg-win-1').fault({failStep: 'firewall.allow'});
      const {code, stdout} = await cluster.win('doctor', '--fix', '--yes');
      expect(stdout).toContain('hg-win-1: failed');
      expect(stdout).toContain('repair/unfinished-plan');
      expect(code).toBe(1);
    },
    2 * minutes,
  );

  it('cannot be combined with flags that do not change nodes', async () => {
    cluster = await startCluster('flannel-hostgw', live);
    for (const flag of ['--no-helper', '--wait']) {
      const {code, stdout} = await cluster.win('doctor', '--fix', flag);
      expect([code, stdout]).toEqual([2, '']);
    }
    expect((await win(['doctor', '--yes'])).code).toBe(2);
  });
});
