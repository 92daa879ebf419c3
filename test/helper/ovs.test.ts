import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync} from 'node:fs';
import {createServer, type Server, type Socket} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {hostPath, writeProgram} from '../../src/sim/windows/disk.js';
import type {WindowsMachine} from '../../src/sim/windows/machine.js';
import type {NodeDump} from '../../src/snapshot/document.js';
import {sectionNames} from '../../src/snapshot/section-names.js';
import {antreaWithOvsInPod} from '../repair/scenes.js';
import {Patient} from '../repair/support.js';
import {addGates, cutAt, gate, journalOf, planOf, runPlan, store} from './plans.js';
import {ask, collect, describeHelper, dumpOf, machineFor, nodeOf, patience, pwsh} from './powershell.js';
import {rows} from './state.js';

const schema = '/usr/share/openvswitch/vswitch.ovsschema';
const hasOvs = existsSync(schema) && spawnSync('ovsdb-server', ['--version']).status === 0;
if (pwsh !== undefined && !hasOvs) {
  process.stderr.write(
    'helper tests skipped: no Open vSwitch found (ovsdb-server, ovs-vsctl); not tested: ovs section and steps against the real program\n',
  );
}

const ways = ['the pipe', 'ovs-vsctl'] as const;
type Way = (typeof ways)[number];

/** Gives a node a named pipe that leads to a socket. */
function givePipe(machine: WindowsMachine, name: string, socket: string): void {
  mkdirSync(join(machine.folder, 'pipes'), {recursive: true});
  symlinkSync(socket, join(machine.folder, 'pipes', name));
}

/** A real ovsdb-server with an empty Open vSwitch database. */
function startOvs() {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-ovs-'));
  const socket = join(folder, 'db.sock');
  const database = join(folder, 'conf.db');
  const pidFile = join(folder, 'pid');
  const vsctl = (...words: string[]) =>
    execFileSync('ovs-vsctl', [`--db=unix:${socket}`, '--no-wait', ...words], {encoding: 'utf8'});
  execFileSync('ovsdb-tool', ['create', database, schema]);
  execFileSync(
    'ovsdb-server',
    [
      database,
      `--remote=punix:${socket}`,
      '--detach',
      `--pidfile=${pidFile}`,
      '--no-chdir',
      `--log-file=${join(folder, 'log')}`,
    ],
    {env: {...process.env, OVS_RUNDIR: folder}, stdio: 'ignore'},
  );
  vsctl('init');
  return {
    folder,
    socket,
    vsctl,
    async [Symbol.asyncDispose]() {
      process.kill(Number(readFileSync(pidFile, 'utf8')));
      rmSync(folder, {recursive: true, force: true});
    },
  };
}

/** A real ovs-vswitchd without forwarding: its bridges use the dummy datapath. */
function startVswitchd({folder, socket}: ReturnType<typeof startOvs>) {
  const pidFile = join(folder, 'vswitchd.pid');
  const env = {...process.env, OVS_RUNDIR: folder};
  const options = ['--enable-dummy=override', '--disable-system', '--detach', '--no-chdir', `--pidfile=${pidFile}`];
  execFileSync('ovs-vswitchd', [`unix:${socket}`, ...options, `--log-file=${join(folder, 'vlog')}`], {
    env,
    stdio: 'ignore',
  });
  const versions = '--protocols=OpenFlow13,OpenFlow14,OpenFlow15';
  return {
    ofctl: (command: string, bridge: string, ...words: string[]) =>
      execFileSync('ovs-ofctl', [versions, command, join(folder, `${bridge}.mgmt`), ...words], {env}),
    stop: () => process.kill(Number(readFileSync(pidFile, 'utf8'))),
  };
}

describe.skipIf(pwsh === undefined || !hasOvs)('a real Open vSwitch', {timeout: patience}, () => {
  let ovs: ReturnType<typeof startOvs>;
  const vsctl = (...words: string[]) => ovs.vsctl(...words);
  const odd = `Ethernet "7"; $(touch executed) 'x' №9`;
  const machines: WindowsMachine[] = [];

  beforeAll(() => {
    ovs = startOvs();
    set('add-br br-int', 'Bridge', 'br-int', 'fail_mode=secure', 'protocols=[OpenFlow10,OpenFlow13,OpenFlow15]');
    set('', 'Bridge', 'br-int', 'other_config:datapath-id="0000005056dad845"', 'other_config:mac="00:50:56:da:d8:45"');
    set('add-port br-int antrea-tun0', 'Interface', 'antrea-tun0', 'type=geneve', 'options:key=flow');
    set('', 'Interface', 'antrea-tun0', 'options:remote_ip=flow', 'ofport_request=32768', 'mtu_request=1450');
    vsctl('add-port', 'br-int', odd);
    set('', 'Port', odd, 'tag=7', 'trunks=[3,5,4000]', 'vlan_mode=native-untagged', 'protected=true');
    set('', 'Port', odd, `external_ids:antrea-type=${JSON.stringify('up"link; $(x)')}`);
    vsctl('add-bond', 'br-int', 'bond0', 'eth1', 'eth2', '--', 'set', 'Port', 'bond0', 'lacp=active');
    vsctl('add-br', 'br-other');
  });
  afterAll(async () => {
    for (const machine of machines) await machine.dispose();
    await ovs[Symbol.asyncDispose]();
  });

  function set(first: string, table: string, row: string, ...columns: string[]): void {
    vsctl(...first.split(' ').filter(Boolean), ...(first ? ['--'] : []), 'set', table, row, ...columns);
  }

  /** A node that reaches the database in one of two ways. */
  function nodeWith(way: Way): WindowsMachine {
    const node = nodeOf('01-antrea-healthy');
    addGates(node, ['gate']);
    const machine = machineFor(node);
    machines.push(machine);
    const program = hostPath(machine.drive, 'C:\\openvswitch\\usr\\bin\\ovs-vsctl.exe');
    if (way === 'ovs-vsctl') {
      writeProgram(program, `exec ovs-vsctl --db=unix:${ovs.socket} "$@"`);
    } else {
      rmSync(program);
      givePipe(machine, 'C:openvswitchvarrunopenvswitchdb.sock', ovs.socket);
    }
    return machine;
  }

  const tables = () =>
    Object.fromEntries(
      ['Open_vSwitch', 'Bridge', 'Port', 'Interface'].map(table => [
        table,
        JSON.parse(vsctl('--format=json', 'list', table)),
      ]),
    );

  it.each(ways)('is read through %s as ovs-vsctl prints it', async way => {
    vsctl('set', 'Open_vSwitch', '.', 'ovs_version=3.0.5');
    const {sections, errors} = dumpOf(await ask(nodeWith(way), collect(['ovs'])));
    expect(errors).toEqual({});
    const [, version] = /\) (\S+)/.exec(vsctl('--version')) ?? [];
    const {Version, Tables} = sections.ovs as {Version: string; Tables: ReturnType<typeof tables>};
    // Without a program on the host, the version is the one that OVS wrote to the database at its start.
    expect(Version).toBe(way === 'ovs-vsctl' ? version : '3.0.5');
    expect(inOrder(Tables)).toEqual(inOrder(tables()));
  });

  it.each(ways)('loses a bridge by a step through %s, and gets it back by its undo, column by column', async way => {
    const machine = nodeWith(way);
    const before = configuration(tables());
    const plan = planOf([{do: 'ovs.deleteBridge', with: {bridge: 'br-int'}}, gate('gate')]);
    store(machine, plan);
    await cutAt(machine, plan, 'Run', entry => entry.event === 'step.begin' && entry.step === 1);
    expect(vsctl('list-br')).toBe('br-other\n');
    await runPlan(machine, plan, 'Rollback').ended;
    expect(journalOf(machine, plan.id).at(-1)).toMatchObject({outcome: 'rolledBack'});
    expect(configuration(tables())).toEqual(before);
    expect(existsSync('executed')).toBe(false);
  });

  it('is found from the command line of ovsdb-server, even if that is not the default', async () => {
    const node = nodeOf('01-antrea-healthy');
    for (const row of rows(node, 'services'))
      if (row.Name === 'ovsdb-server')
        row.PathName =
          '"D:\\ovs\\ovsdb-server.exe" "D:\\my db\\conf.db" "--remote=punix:D:\\my run\\db.sock" --service';
    const machine = machineFor(node);
    machines.push(machine);
    rmSync(hostPath(machine.drive, 'C:\\openvswitch\\usr\\bin\\ovs-vsctl.exe'));
    givePipe(machine, 'D:my rundb.sock', ovs.socket);
    const {sections, errors} = dumpOf(await ask(machine, collect(['ovs'])));
    expect(errors).toEqual({});
    expect(sections.ovs).toMatchObject({Tables: {Bridge: {headings: expect.arrayContaining(['name'])}}});
  });

  it.each([
    [
      'OpenFlow10,OpenFlow15',
      3,
      [
        {Table: 0, Flows: 2},
        {Table: 10, Flows: 1},
      ],
    ],
    [
      'OpenFlow13',
      3,
      [
        {Table: 0, Flows: 2},
        {Table: 10, Flows: 1},
      ],
    ],
  ])('reports the number of flows of a bridge of %s, over its management pipe', async (protocols, Flows, Tables) => {
    const machine = nodeWith('the pipe');
    rmSync(hostPath(machine.drive, 'C:\\openvswitch\\usr'), {recursive: true, force: true});
    const forward = startVswitchd(ovs);
    try {
      vsctl('--may-exist', 'add-br', 'br-flows', '--', 'set', 'Bridge', 'br-flows', 'datapath_type=dummy');
      set('', 'Bridge', 'br-flows', 'fail_mode=secure', `protocols=${protocols}`);
      await expect.poll(() => existsSync(join(ovs.folder, 'br-flows.mgmt')), {timeout: 30_000}).toBe(true);
      for (const flow of ['table=0,priority=1,actions=drop', 'table=0,in_port=3,actions=drop', 'table=10,actions=drop'])
        forward.ofctl('add-flow', 'br-flows', flow);
      givePipe(machine, 'C:openvswitchvarrunopenvswitchbr-flows.mgmt', join(ovs.folder, 'br-flows.mgmt'));
      const {sections} = dumpOf(await ask(machine, collect(['ovsFlows'])));
      expect(rows({sections}, 'ovsFlows').find(({Bridge}) => Bridge === 'br-flows')).toEqual({
        Bridge: 'br-flows',
        Flows,
        Tables,
      });
      // A bridge that does not answer is not one without flows.
      expect(rows({sections}, 'ovsFlows').find(({Bridge}) => Bridge === 'br-other')).toEqual({
        Bridge: 'br-other',
        Error: expect.stringContaining('\\\\.\\pipe\\C:openvswitchvarrunopenvswitchbr-other.mgmt'),
      });
    } finally {
      vsctl('--if-exists', 'del-br', 'br-flows');
      forward.stop();
    }
  });

  it('that does not answer is an error of the section, quoted', async () => {
    const machine = nodeWith('ovs-vsctl');
    writeProgram(
      hostPath(machine.drive, 'C:\\openvswitch\\usr\\bin\\ovs-vsctl.exe'),
      `exec ovs-vsctl --db=unix:${ovs.folder}/nowhere.sock "$@"`,
    );
    const {errors} = dumpOf(await ask(machine, collect(['ovs'])));
    expect(errors.ovs).toMatchObject({kind: 'Failed', message: expect.stringContaining('database connection failed')});
  });

  it('that rejects a change is quoted, and the step fails', async () => {
    const machine = nodeWith('the pipe');
    const plan = planOf([{do: 'ovs.deleteBridge', with: {bridge: 'br-int'}}, gate('gate')]);
    store(machine, plan);
    await cutAt(machine, plan, 'Run', entry => entry.event === 'step.begin' && entry.step === 1);
    // Another bridge has taken the name of a port in the meantime: port names are unique.
    vsctl('add-port', 'br-other', 'antrea-tun0');
    await runPlan(machine, plan, 'Rollback').ended;
    const failed = journalOf(machine, plan.id).find(({event}) => event === 'undo.failed');
    expect(failed).toMatchObject({
      error: {message: expect.stringMatching(/ovsdb-server refused the transaction: constraint violation/)},
    });
  });
});

describe.skipIf(pwsh === undefined || !hasOvs)('Antrea with OVS in its pod', {timeout: patience}, () => {
  it('doctor sees the bridge, cleanup removes it, over a real ovsdb-server', async () => {
    const {scenario} = antreaWithOvsInPod('02-antrea-after-reboot');
    const [name = '', node] = Object.entries(scenario.document.nodes)[0] ?? [];
    if (!node) throw new Error('the case has no node');
    // The machine has its own ovsdb-server behind the pipe, and no OVS program on its host.
    const machine = machineFor(node);
    expect(existsSync(hostPath(machine.drive, 'C:\\openvswitch\\usr'))).toBe(false);

    scenario.document.nodes[name] = dumpOf(await ask(machine, collect(sectionNames)));
    const patient = new Patient(scenario, name);
    const stale = patient.results().filter(({id}) => id === 'ovs/stale-bridge');
    expect(stale).toMatchObject([{outcome: 'fail', message: expect.stringContaining('br-int')}]);

    const {steps} = patient.plan();
    expect(steps).toContainEqual(expect.objectContaining({do: 'ovs.deleteBridge', with: {bridge: 'br-int'}}));
    const plan = planOf(steps);
    store(machine, plan);
    await runPlan(machine, plan, 'Run').ended;
    expect(journalOf(machine, plan.id).at(-1)).toMatchObject({outcome: 'succeeded'});
    expect(machine.read().sections.ovs).toMatchObject({Tables: {Bridge: {data: []}, Port: {data: []}}});
    expect(existsSync(hostPath(machine.drive, 'C:\\openvswitch\\etc\\openvswitch\\conf.db'))).toBe(true);
    await machine.dispose();
  });
});

describeHelper('an unreachable ovsdb-server', () => {
  const machines: WindowsMachine[] = [];
  const servers: Server[] = [];
  afterAll(async () => {
    for (const server of servers) server.close();
    for (const machine of machines) await machine.dispose();
  });

  /** A node without ovs-vsctl on the host, as when OVS runs in the agent's pod. */
  function podNode(change: (node: NodeDump) => void = () => undefined): WindowsMachine {
    const node = nodeOf('01-antrea-healthy');
    change(node);
    const machine = machineFor(node);
    machines.push(machine);
    rmSync(hostPath(machine.drive, 'C:\\openvswitch\\usr'), {recursive: true, force: true});
    return machine;
  }
  const without = (node: NodeDump, section: string, name: RegExp) => {
    node.sections[section] = rows(node, section).filter(({Name}) => !name.test(String(Name)));
  };
  const failure = async (machine: WindowsMachine) => dumpOf(await ask(machine, collect(['ovs']))).errors.ovs;

  it('that runs is a failure that names the pipes', async () => {
    expect(await failure(podNode())).toMatchObject({
      kind: 'Failed',
      message: expect.stringContaining('\\\\.\\pipe\\C:openvswitchvarrunopenvswitchdb.sock'),
    });
  });

  it('that does not run but has a database is down, not absent', async () => {
    const machine = podNode(node => {
      without(node, 'services', /^ovs/);
      without(node, 'processes', /^ovs/);
    });
    expect(await failure(machine)).toMatchObject({kind: 'Failed', message: expect.stringContaining('is not running')});
  });

  it('without any trace is not installed', async () => {
    const machine = podNode(node => {
      without(node, 'services', /^ovs/);
      without(node, 'processes', /^ovs/);
      node.sections.files = [];
    });
    expect(await failure(machine)).toMatchObject({kind: 'NotInstalled'});
  });

  it.each([
    ['is silent', () => undefined, 'Timeout', 'did not answer within'],
    [
      'closes the connection',
      (client: Socket) => client.once('data', () => client.end('{"id":1,')),
      'Failed',
      'closed the connection',
    ],
  ])('that %s loses its section, with the reason', async (_, serve, kind, message) => {
    const machine = podNode();
    const socket = join(machine.folder, 'odd.sock');
    const server = createServer(serve);
    servers.push(server);
    await new Promise<void>(resolve => server.listen(socket, resolve));
    givePipe(machine, 'C:openvswitchvarrunopenvswitchdb.sock', socket);
    expect(await failure(machine)).toMatchObject({kind, message: expect.stringContaining(message)});
  });
});

/** OVS returns rows in any order. */
function inOrder(tables: Record<string, {headings: string[]; data: unknown[]}>): unknown {
  const sorted = Object.entries(tables).map(([name, {headings, data}]) => [
    name,
    {headings, data: data.map(row => JSON.stringify(row)).toSorted()},
  ]);
  return Object.fromEntries(sorted);
}

/** Every configurable column of bridges, ports and interfaces, by name instead of ID. */
function configuration(all: Record<string, {headings: string[]; data: unknown[][]}>): unknown {
  const named = (table: string) => {
    const {headings = [], data = []} = all[table] ?? {};
    return data.map(cells => Object.fromEntries(headings.map((heading, index) => [heading, cells[index]])));
  };
  const names = new Map(
    ['Bridge', 'Port', 'Interface'].flatMap(named).map(({_uuid, name}) => [JSON.stringify(_uuid), String(name)]),
  );
  const told = (cell: unknown): unknown => {
    if (!Array.isArray(cell)) return cell;
    const name = names.get(JSON.stringify(cell));
    if (name !== undefined) return name;
    return Array.isArray(cell[1])
      ? [
          cell[0],
          cell[1]
            .map(told)
            .map(each => JSON.stringify(each))
            .sort(),
        ]
      : cell;
  };
  return Object.fromEntries(
    ['Bridge', 'Port', 'Interface'].map(table => [
      table,
      named(table)
        .map(({_uuid, ...row}) => JSON.stringify(Object.entries(row).map(([column, cell]) => [column, told(cell)])))
        .sort(),
    ]),
  );
}
