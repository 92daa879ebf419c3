import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {type Cluster, startCluster} from '../../e2e/support.js';
import {keys, TerminalProgram} from './terminal.js';

const program = join(fileURLToPath(new URL('../../../bin', import.meta.url)), 'kubectl-win');
const annotation = 'ovn.kubernetes.io/tunnel_interface';

let cluster: Cluster;
let terminal: TerminalProgram | undefined;
beforeEach(async () => {
  cluster = await startCluster('kube-ovn');
});
afterEach(async () => {
  terminal?.close();
  terminal = undefined;
  expect(await cluster.leftovers()).toBe('');
  await cluster.close();
});

function run(args: readonly string[], rows?: number): TerminalProgram {
  terminal = new TerminalProgram(program, ['annotate-tunnel', ...args], {
    env: cluster.env,
    ...(rows !== undefined && {rows}),
  });
  return terminal;
}

function pickOn(node: string, {flags = [], rows}: {flags?: string[]; rows?: number} = {}): TerminalProgram {
  return run([node, ...flags], rows);
}

async function annotated(node: string): Promise<string | undefined> {
  const {stdout} = await cluster.kubectl('get', 'node', node, '-o', 'json');
  return (JSON.parse(stdout) as {metadata: {annotations: Record<string, string>}}).metadata.annotations[annotation];
}

/** Gives Ethernet0 of kovn-win-1 a route to the other nodes, so that it can be picked too. */
function routeEthernet0(): void {
  cluster.simulation.nodes.get('kovn-win-1')?.change(({sections}) => {
    (sections.netRoutes as object[]).push({
      DestinationPrefix: '192.168.96.0/24',
      NextHop: '172.20.5.1',
      InterfaceAlias: 'Ethernet0',
      InterfaceIndex: 5,
      RouteMetric: 256,
      Store: 'ActiveStore',
    });
  });
}

test('shows the usable adapters, and writes the one picked by keyboard', async () => {
  const picker = pickOn('kovn-win-2');
  const screen = await picker.shows(/Enter select/);
  expect(screen).toMatch(/Tunnel adapter of kovn-win-2 \(now: adapter of the node address\)/);
  expect(screen).toMatch(
    /›\s+Ethernet0\s+192\.168\.96\.32\/24\s+10 Gbps\s+up\s+node address, HNS network kube-ovn, default route/,
  );
  expect(screen).toMatch(/✗ br-provider .*managed by Kube-OVN; the NIC under it is Ethernet0/);
  expect(screen).toMatch(/✗ vEthernet \(\w+\) .*it belongs to pod legacy\/crystal-reports/);
  picker.press(keys.enter);
  const {code, screen: last} = await picker.ended;
  expect(last).toBe('node/kovn-win-2 annotated');
  expect(code).toBe(0);
  expect(await annotated('kovn-win-2')).toBe('Ethernet0');
});

test('does not let an unsuitable adapter be picked, and says why', async () => {
  const picker = pickOn('kovn-win-2');
  await picker.shows(/Enter select/);
  picker.press(keys.down);
  await picker.shows(/Cannot be selected: managed by Kube-OVN/);
  picker.press(keys.enter);
  picker.press(keys.down);
  await picker.shows(/› ✗ (br-int|ovn0)/);
  picker.press(keys.escape);
  const {code, screen} = await picker.ended;
  expect(screen).toMatch(/error: no adapter selected; nothing was written/);
  expect(code).toBe(2);
  expect(await annotated('kovn-win-2')).toBeUndefined();
});

test('warns of the effects of a pick, and asks before it replaces another', async () => {
  routeEthernet0();
  const picker = pickOn('kovn-win-1');
  await picker.shows(/Enter select/);
  await picker.shows(/› +Ethernet0[\s\S]*! HNS network kube-ovn already exists on Ethernet1/);
  picker.press(keys.enter);
  await picker.shows(/Replace Ethernet1 with Ethernet0\? y\/n/);
  picker.press('n');
  await picker.shows(/Enter select/);
  picker.press(keys.enter);
  await picker.shows(/y\/n/);
  picker.press('y');
  expect((await picker.ended).code).toBe(0);
  expect(await annotated('kovn-win-1')).toBe('Ethernet0');
});

test('does not ask with --overwrite', async () => {
  routeEthernet0();
  const picker = pickOn('kovn-win-1', {flags: ['--overwrite']});
  await picker.shows(/› +Ethernet0/);
  picker.press(keys.enter);
  expect((await picker.ended).code).toBe(0);
  expect(await annotated('kovn-win-1')).toBe('Ethernet0');
});

test('scrolls on a small terminal', async () => {
  const picker = pickOn('kovn-win-2', {rows: 14});
  expect(await picker.shows(/1-2 of \d+/)).not.toMatch(/vEthernet/);
  picker.press(keys.end);
  await picker.shows(/› ✗ vEthernet/);
  picker.press(keys.home);
  await picker.shows(/› +Ethernet0/);
  picker.press(keys.enter);
  expect((await picker.ended).code).toBe(0);
});

test('restores the terminal and changes nothing at Ctrl-C', async () => {
  const picker = pickOn('kovn-win-2');
  await picker.shows(/Enter select/);
  picker.press(keys.ctrlC);
  expect((await picker.ended).code).toBe(130);
  expect(await annotated('kovn-win-2')).toBeUndefined();
});

const several = ['kovn-win-1', 'kovn-win-2', '--cidr', '192.168.96.0/24'];

test('for several nodes it shows the table and asks before anything is written', async () => {
  const asked = run(several);
  const screen = await asked.shows(/Write the annotation of 1 node\? \[y\/N\]/);
  expect(screen).toMatch(/kovn-win-1 .* keep/);
  expect(screen).toMatch(/kovn-win-2 .* annotate/);
  asked.press('n', keys.enter);
  const {code, screen: last} = await asked.ended;
  expect(last).toMatch(/error: nothing was written/);
  expect(code).toBe(2);
  expect(await annotated('kovn-win-2')).toBeUndefined();
  const agreed = run(several);
  await agreed.shows(/\[y\/N\]/);
  agreed.press('y', keys.enter);
  expect((await agreed.ended).code).toBe(0);
  expect(await annotated('kovn-win-2')).toBe('Ethernet0');
});

test('Ctrl-C at that question exits, with nothing written', async () => {
  const asked = run(several);
  await asked.shows(/\[y\/N\]/);
  asked.press(keys.ctrlC);
  expect((await asked.ended).code).toBe(130);
  expect(await annotated('kovn-win-2')).toBeUndefined();
});

test('does not ask with --yes', async () => {
  const {code, screen} = await run([...several, '--yes']).ended;
  expect(screen).not.toMatch(/\[y\/N\]/);
  expect(code).toBe(0);
  expect(await annotated('kovn-win-2')).toBe('Ethernet0');
});

test('without a node, one is picked first, and then its adapter', async () => {
  const picker = run([]);
  await picker.shows(/Which node\?[\s\S]*› kovn-win-1/);
  picker.press(keys.down);
  await picker.shows(/› kovn-win-2/);
  picker.press(keys.enter);
  await picker.shows(/Tunnel adapter of kovn-win-2/);
  picker.press(keys.enter);
  expect((await picker.ended).code).toBe(0);
  expect(await annotated('kovn-win-2')).toBe('Ethernet0');
});
