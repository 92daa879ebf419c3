import stringWidth from 'string-width';
import {afterEach, expect, test, vi} from 'vitest';
import {Dashboard} from '../../../../src/view/ink/dashboard/dashboard.js';
import type {Action, NodeEntry} from '../../../../src/view/ink/dashboard/dashboard-state.js';
import type {Command} from '../../../../src/view/ink/dashboard/keys.js';
import {MouseReports} from '../../../../src/view/ink/dashboard/mouse.js';
import {DashboardStore} from '../../../../src/view/ink/dashboard/store.js';
import {findings} from '../../../../src/view/ink/dashboard/tabs/findings.js';
import {withoutOverride} from '../../../fixtures/crashing-agent.js';
import {entryFrom, onScreen} from '../component.js';
import {keys} from '../terminal.js';

afterEach(() => vi.unstubAllEnvs());

const broken = () => entryFrom('02-antrea-after-reboot');
const well = () => entryFrom('01-antrea-healthy');

function dashboard(...entries: NodeEntry[]) {
  const store = new DashboardStore();
  store.dispatch({type: 'nodes', names: entries.map(({name}) => name)});
  for (const entry of entries) store.dispatch({type: 'read', entry});
  const wishes: Exclude<Command, Action | {type: 'typed'}>[] = [];
  const reports = new MouseReports();
  const shown = onScreen(
    <Dashboard store={store} onCommand={wish => wishes.push(wish)} onDrawn={() => {}} reports={reports} />,
  );
  return {...shown, store, wishes, mouse: (text: string) => reports.take(text)};
}

test('the dashboard shows nodes with health, problems and age, worst first, and folds consequences under their cause', async () => {
  const {shows, press} = dashboard(broken(), well());
  const screen = await shows(/2 nodes, 1 healthy, 1 unhealthy/);
  expect(screen).toMatch(/NODE +PROBLEMS↓ +READ │ win-blue {2}antrea 1\.15\.1[\s\S]*\n›✗ win-blue +2 +\d+s ago │/);
  expect(screen).toMatch(/›✗ win-blue .*\n ✓ winapp-01 +- +\d+s ago │/);
  expect(screen).toMatch(/Fix +kubectl win cleanup win-blue/);
  expect(screen).toMatch(/▸ Enter: evidence, \d+ consequences/);
  expect(screen).not.toMatch(/explains hns\/network-present/);
  press(keys.enter);
  await shows(/›✗ Stale OVS bridge/);
  press(keys.enter);
  await shows(/Found +HNS network antrea-hnsnetwork:\s[\s\S]*missing/);
});

test('a node that was not fully inspected is not shown as healthy', async () => {
  const unread = entryFrom('01-antrea-healthy', json => {
    const document = JSON.parse(json);
    const node = document.nodes['winapp-01'];
    delete node.sections.hnsNetworks;
    node.errors.hnsNetworks = {kind: 'AccessDenied', message: 'Access is denied.'};
    return JSON.stringify(document);
  });
  const {shows} = dashboard(unread);
  const screen = await shows(/0 healthy, 1 not fully read/);
  expect(screen).toMatch(/›\? winapp-01 +- +\d+s ago │/);
  expect(screen).toMatch(/\? Not fully inspected: hnsNetworks: Access is denied/);
  expect(screen).not.toMatch(/No problems found/);
});

test('a warning that explains errors is shown as severe as they are, and so is its node', async () => {
  const result = (id: string, severity: 'error' | 'warning', causedBy: string[] = []) =>
    ({id, outcome: 'fail', severity, title: id, message: id, evidence: [], docs: '', causedBy}) as const;
  const results = [result('a/cause', 'warning'), result('b/consequence', 'error', ['a/cause'])];
  const node = well();
  const {shows} = dashboard({...node, results, tell: sight => findings({results, ofCluster: []}, sight)});
  await shows(/›✗ winapp-01[\s\S]*✗ a\/cause/);
});

test('a finding about the whole cluster is shown above what it explains here', async () => {
  const {shows} = dashboard(entryFrom('01-antrea-healthy', withoutOverride));
  const screen = await shows(/✗ Agent has no API server/);
  expect(screen).toMatch(/1 consequence/);
  expect(screen).not.toMatch(/cni\/agent-pod/);
});

test('what does not fit is counted, and PgDn shows it', async () => {
  const {shows, press} = dashboard(broken());
  await shows(/win-blue/);
  press(keys.enter);
  await shows(/›✗/);
  press(keys.enter);
  await shows(/↓ \d+ more, PgDn/);
  press('\u001b[6~');
  await shows(/↑ \d+/);
});

test('a list that is longer than the screen shows the position', async () => {
  const many = Array.from({length: 200}, (_, i) => ({name: `win-${i}`, results: []}));
  const {shows, press} = dashboard(...many);
  const screen = await shows(/ 1-18 of 200/);
  expect(screen.split('\n').length).toBeLessThanOrEqual(24);
  press('G');
  await shows(/›· win-199[\s\S]* 183-200 of 200/);
});

test('every tab shows the node, and none is wider than its pane', async () => {
  const {shows, press} = dashboard(broken());
  await shows(/win-blue/);
  for (const [key, pattern] of [
    ['2', /✗ antrea-hnsnetwork[\s\S]*br-int/],
    ['3', /Ethernet0[\s\S]*172\.19\.8\.44/],
    ['4', /\[4 Load balancers\]/],
    ['5', /✗ +ovs-vswitchd/],
    ['6', /Press f to review/],
  ] as const) {
    press(key);
    const screen = await shows(pattern);
    for (const line of screen.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(100);
  }
});

test('a number keeps its unit in a table that is too narrow for its longest name', async () => {
  const {shows, press} = dashboard(well());
  await shows(/winapp-01/);
  press('3');
  const screen = await shows(/\[3 Adapters\][\s\S]*Gbps/);
  expect(screen).not.toMatch(/│ +Gbps/);
});

test('keys that the program handles are passed on', async () => {
  const {shows, press, wishes} = dashboard(broken());
  await shows(/win-blue/);
  press('eyfrR');
  await vi.waitFor(() => expect(wishes).toHaveLength(5));
  press('q');
  await vi.waitFor(() =>
    expect(wishes.map(({type}) => type)).toEqual(['explain', 'copy', 'fix', 'refresh', 'refresh', 'quit']),
  );
});

test('a filter is typed at the bottom and reduces the list', async () => {
  const {shows, press} = dashboard(broken(), well());
  await shows(/win-blue/);
  press('/app');
  const screen = await shows(/\/app/);
  expect(screen).not.toContain('win-blue');
  press(keys.escape);
  await shows(/win-blue[\s\S]*winapp-01/);
});

test('a node that can no longer be read shows that above its last state', async () => {
  const {shows, store} = dashboard(well());
  await shows(/winapp-01/);
  store.dispatch({type: 'phase', name: 'winapp-01', phase: 'not inspected', detail: 'its kubelet does not answer.'});
  await shows(/\? winapp-01[\s\S]*\? Could not be read: its kubelet does not\s[\s\S]*No problems found/);
});

test('a failed read shows the full reason until the next one', async () => {
  const {shows, store, press} = dashboard();
  const why = 'The API server https://10.0.0.1:6443 (context "prod") refused the connection. Check that it runs.';
  store.dispatch({type: 'failure', text: why});
  await shows(/✗ The API server[\s\S]*refused the[\s\S]*Check that it runs\. Press r[\s\S]*q quit/);
  press('j');
  await shows(/✗ The API server/);
  store.dispatch({type: 'failure', text: undefined});
  await vi.waitFor(async () => expect(await shows(/q quit/)).not.toContain('refused'));
});

test('wide characters take two columns: lists, tables and the drawing stay aligned', async () => {
  const wide = (json: string) => json.replaceAll('Ethernet0', '以太网适配器').replaceAll('win-blue', 'ノード一号');
  const {shows, press} = dashboard(entryFrom('02-antrea-after-reboot', wide), well());
  const screen = await shows(/ノード一号/);
  const divider = (line: string) => stringWidth(line.slice(0, line.search(/[│┃]/)));
  const [first, ...others] = screen
    .split('\n')
    .filter(line => /[│┃]/.test(line))
    .map(divider);
  expect(others.length).toBeGreaterThan(10);
  for (const other of others) expect(other).toBe(first);
  press('3');
  const table = await shows(/以太网适配器/);
  for (const line of table.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(100);
});

test('names from nodes cannot move the cursor', async () => {
  const hostile = (json: string) =>
    json.replaceAll('antrea-gw0', 'a\\u001b[2Jb').replaceAll('win-blue', 'w\\u001b[1;1Hx');
  const {shows, press, frame} = dashboard(entryFrom('02-antrea-after-reboot', hostile));
  await shows(/wx/);
  press('2');
  await shows(/ab ←/);
  expect(frame()).not.toMatch(/\[2J|\[1;1H/);
});

test('in screen reader mode it reads the position, the content, and how to get help; signs are words', async () => {
  vi.stubEnv('INK_SCREEN_READER', 'true');
  const {shows, press} = dashboard(well(), broken());
  await shows(/Node 1 of 2: win-blue, unhealthy, antrea/);
  press('j');
  await shows(/Node 2 of 2: winapp-01, healthy, antrea/);
  press('k');
  const screen = await shows(/Node 1 of 2: win-blue, unhealthy, antrea/);
  expect(screen).toMatch(/^kubectl win, 2 nodes, 1 healthy, 1 unhealthy$/m);
  expect(screen).toMatch(/^Tab 1 of 6: Findings$/m);
  expect(screen).toMatch(/^error: Stale OVS bridge/m);
  expect(screen).toMatch(/^Press Enter for evidence/m);
  expect(screen).toMatch(/^Press \? for keys, q to quit$/m);
  expect(screen).not.toMatch(/[✗✓›▸│┃]|winapp-01/);
  press('2');
  const drawing = await shows(/^error: antrea-hnsnetwork named by hns\/network-present/m);
  expect(drawing).toMatch(/^level 2: error: br-int named by ovs\/stale-bridge/m);
  expect(drawing).not.toMatch(/[├└│]/);
});

test('in screen reader mode nothing changes while nodes are read', async () => {
  vi.stubEnv('INK_SCREEN_READER', 'true');
  const {shows, store, frame} = dashboard(well());
  store.dispatch({type: 'stage', text: 'Reading nodes…'});
  store.dispatch({type: 'phase', name: 'winapp-01', phase: 'reading', detail: '1/30'});
  const before = await shows(/being read/);
  store.dispatch({type: 'phase', name: 'winapp-01', phase: 'reading', detail: '2/30'});
  expect(frame()).toBe(before);
});

/** Mouse reports of a terminal. */
const click = (column: number, row: number) => `\u001b[<0;${column};${row}M\u001b[<0;${column};${row}m`;
const wheelDown = (column: number, row: number) => `\u001b[<65;${column};${row}M`;

/** The position of a text on the screen, from 1 as in terminals. */
function placeOf(screen: string, text: string): [column: number, row: number] {
  const lines = screen.split('\n');
  const row = lines.findIndex(line => line.includes(text));
  return [(lines[row]?.indexOf(text) ?? 0) + 1, row + 1];
}

test('the mouse selects nodes, tabs, findings and the column to sort by, and the wheel scrolls', async () => {
  const {shows, press, mouse} = dashboard(broken(), well());
  const screen = await shows(/›✗ win-blue/);
  mouse(click(...placeOf(screen, 'winapp-01')));
  await shows(/›✓ winapp-01/);
  mouse(click(...placeOf(screen, '3 Adapters')));
  await shows(/\[3 Adapters\]/);
  mouse(click(...placeOf(screen, '1 Findings')));
  mouse(click(...placeOf(screen, '✗ win-blue')));
  const findings = await shows(/\[1 Findings\][\s\S]*Stale OVS bridge/);
  mouse(click(...placeOf(findings, 'Stale OVS bridge')));
  const chosen = await shows(/›✗ Stale OVS bridge/);
  mouse(click(...placeOf(chosen, 'Stale OVS bridge')));
  const open = await shows(/↓ \d+ more[\s\S]*Found/);
  mouse(wheelDown(...placeOf(open, 'Stale OVS bridge')));
  await shows(/↑ 3/);
  press(keys.escape);
  const list = await shows(/NODE +PROBLEMS↓ +READ/);
  mouse(click(...placeOf(list, 'READ')));
  await shows(/PROBLEMS +READ↓/);
  mouse(click(...placeOf(list, 'PROBLEMS')));
  await shows(/PROBLEMS↓ +READ /);
  mouse(click(...placeOf(list, 'NODE')));
  await shows(/NODE↓/);
  press('P');
  await shows(/^ {3}BY PLUGIN +PROBLEMS +READ/m);
});

test('other input than mouse reports is kept, even if a report arrives in two pieces', () => {
  const reports = new MouseReports();
  const seen: unknown[] = [];
  reports.listen(event => seen.push(event));
  expect(reports.take('a\u001b[<0;3;4Mb')).toBe('ab');
  expect(reports.take('c\u001b[<65;1')).toBe('c');
  expect(reports.take('0;2Md\u001b')).toBe('d\u001b');
  expect(reports.take('\u001b[A')).toBe('\u001b[A');
  expect(seen).toEqual([
    {does: 'press', column: 2, row: 3},
    {does: 'down', column: 9, row: 1},
  ]);
});

test('m returns the mouse to the terminal', async () => {
  const {shows, press, store} = dashboard(well());
  await shows(/winapp-01/);
  expect(store.get().mouse).toBe(true);
  press('m');
  await vi.waitFor(() => expect(store.get().mouse).toBe(false));
});

test('a search in the logs finds everything that was read, counts the matches, and n goes to the next', async () => {
  const {shows, press} = dashboard(broken());
  await shows(/win-blue/);
  press('5');
  press('l');
  await shows(/›? *✗ +ovs-vswitchd/);
  press('/ovs');
  await shows(/Search: 1 of \d+/);
  press(keys.enter);
  await shows(/Search: ovs, 1 of \d+/);
  press('n');
  await shows(/Search: ovs, 2 of \d+/);
  press('N');
  await shows(/Search: ovs, 1 of \d+/);
  press(keys.escape);
  await vi.waitFor(async () => expect(await shows(/q quit/)).not.toContain('Search:'));
});

test('Ctrl-D and Ctrl-U scroll by half of what is shown', async () => {
  const {shows, press} = dashboard(broken());
  await shows(/win-blue/);
  press(keys.enter);
  await shows(/›✗/);
  press(keys.enter);
  await shows(/↓ \d+ more/);
  press(keys.ctrlD);
  await shows(/↑ (9|10)\b/);
  press(keys.ctrlU);
  await vi.waitFor(async () => expect(await shows(/PgDn/)).not.toMatch(/↑ \d/));
});

test('an active filter is shown with the number of nodes it leaves', async () => {
  const {shows, press} = dashboard(broken(), well());
  await shows(/win-blue/);
  press('/app');
  press(keys.enter);
  await shows(/Filter: app, 1 of 2/);
  press('!');
  await shows(/Filter: problems, 1 of 2/);
});
