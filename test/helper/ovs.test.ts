import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {hostPath, writeProgram} from '../../src/sim/windows/disk.js';
import type {WindowsMachine} from '../../src/sim/windows/machine.js';
import {addGates, carryOut, cutAt, gate, journalOf, planOf, store} from './plans.js';
import {ask, collect, dumpOf, machineFor, nodeOf, patience, pwsh} from './powershell.js';
import {essence} from './state.js';

const schema = '/usr/share/openvswitch/vswitch.ovsschema';
const hasOvs = existsSync(schema) && spawnSync('ovsdb-server', ['--version']).status === 0;
if (pwsh !== undefined && !hasOvs) {
  process.stderr.write(
    'helper tests skipped: no Open vSwitch found (ovsdb-server, ovs-vsctl); not tested: ovs section and steps against the real program\n',
  );
}

describe.skipIf(pwsh === undefined || !hasOvs)('a real Open vSwitch', {timeout: patience}, () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-ovs-'));
  const socket = `unix:${join(folder, 'db.sock')}`;
  const vsctl = (...words: string[]) =>
    execFileSync('ovs-vsctl', [`--db=${socket}`, '--no-wait', ...words], {encoding: 'utf8'});
  const odd = `Ethernet "7"; $(touch executed) 'x' №9`;
  let machine: WindowsMachine;

  beforeAll(async () => {
    const database = join(folder, 'conf.db');
    execFileSync('ovsdb-tool', ['create', database, schema]);
    execFileSync(
      'ovsdb-server',
      [
        database,
        `--remote=p${socket}`,
        '--detach',
        `--pidfile=${join(folder, 'pid')}`,
        '--no-chdir',
        `--log-file=${join(folder, 'log')}`,
      ],
      {env: {...process.env, OVS_RUNDIR: folder}, stdio: 'ignore'},
    );
    vsctl('init');
    vsctl(
      'add-br',
      'br-int',
      '--',
      'set',
      'Bridge',
      'br-int',
      'fail_mode=secure',
      'other_config:datapath-id="0000005056dad845"',
    );
    vsctl(
      'add-port',
      'br-int',
      'antrea-tun0',
      '--',
      'set',
      'Interface',
      'antrea-tun0',
      'type=geneve',
      'options:key=flow',
      'options:remote_ip=flow',
      'ofport_request=32768',
    );
    vsctl(
      'add-port',
      'br-int',
      odd,
      '--',
      'set',
      'Port',
      odd,
      'tag=7',
      `external_ids:antrea-type=${JSON.stringify('up"link; $(x)')}`,
    );
    vsctl('add-br', 'br-other');
    const node = nodeOf('01-antrea-healthy');
    addGates(node, ['gate']);
    machine = machineFor(node);
    writeProgram(
      hostPath(machine.drive, 'C:\\openvswitch\\usr\\bin\\ovs-vsctl.exe'),
      `exec ovs-vsctl --db=${socket} "$@"`,
    );
  });
  afterAll(async () => {
    process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')));
    await machine.dispose();
    rmSync(folder, {recursive: true, force: true});
  });

  const tables = () =>
    Object.fromEntries(
      ['Open_vSwitch', 'Bridge', 'Port', 'Interface'].map(table => [
        table,
        JSON.parse(vsctl('--format=json', 'list', table)),
      ]),
    );
  const bridges = () => essence({sections: {ovs: {Tables: tables()}}, errors: {}}).ovs;

  it('is read as ovs-vsctl prints it', async () => {
    const {sections, errors} = dumpOf(await ask(machine, collect(['ovs'])));
    expect(errors).toEqual({});
    const [, version] = /\) (\S+)/.exec(vsctl('--version')) ?? [];
    const {Version, Tables} = sections.ovs as {Version: string; Tables: ReturnType<typeof tables>};
    expect(Version).toBe(version);
    expect(inOrder(Tables)).toEqual(inOrder(tables()));
  });

  it('loses a bridge by a step, and gets it back by its undo, odd names and all', async () => {
    const before = bridges();
    const plan = planOf([{do: 'ovs.deleteBridge', with: {bridge: 'br-int'}}, gate('gate')]);
    store(machine, plan);
    await cutAt(machine, plan, 'Run', entry => entry.event === 'step.begin' && entry.step === 1);
    expect(vsctl('list-br')).toBe('br-other\n');
    await carryOut(machine, plan, 'Rollback').ended;
    expect(journalOf(machine, plan.id).at(-1)).toMatchObject({outcome: 'rolledBack'});
    expect(bridges()).toEqual(before);
    expect(existsSync('executed')).toBe(false);
  });

  it('that does not answer is an error of the section, in its own words', async () => {
    writeProgram(
      hostPath(machine.drive, 'C:\\openvswitch\\usr\\bin\\ovs-vsctl.exe'),
      `exec ovs-vsctl --db=unix:${folder}/nowhere.sock "$@"`,
    );
    const {errors} = dumpOf(await ask(machine, collect(['ovs'])));
    expect(errors.ovs).toMatchObject({kind: 'Failed', message: expect.stringContaining('database connection failed')});
  });
});

/** OVS gives rows in any order. */
function inOrder(tables: Record<string, {headings: string[]; data: unknown[]}>): unknown {
  const sorted = Object.entries(tables).map(([name, {headings, data}]) => [
    name,
    {headings, data: data.map(row => JSON.stringify(row)).toSorted()},
  ]);
  return Object.fromEntries(sorted);
}
