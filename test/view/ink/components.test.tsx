import stringWidth from 'string-width';
import {afterEach, expect, test, vi} from 'vitest';
import type {AdapterOffer} from '../../../src/services/tunnel/adapter-offers.js';
import {AdapterPicker} from '../../../src/view/ink/adapter-picker.js';
import {JournalLines} from '../../../src/view/ink/journal-display.js';
import {NodePicker} from '../../../src/view/ink/node-picker.js';
import type {PickerState} from '../../../src/view/ink/picker-state.js';
import {PlanReview} from '../../../src/view/ink/plan-review.js';
import type {ReviewState} from '../../../src/view/ink/review-state.js';
import {flannelAfterReboot, kubeOvnAfterReboot} from '../../repair/scenes.js';
import {onScreen} from './component.js';
import {keys} from './terminal.js';

afterEach(() => vi.unstubAllEnvs());

const cutting = kubeOvnAfterReboot().plan({level: 'hard'});
const harmless = flannelAfterReboot().plan();

function review(plan: typeof cutting) {
  const ends: ReviewState[] = [];
  return {...onScreen(<PlanReview plan={plan} onEnd={state => ends.push(state)} />), ends};
}

test('a review marks the steps that interrupt the network, shows the undo of the selected one, and its details', async () => {
  const {shows, press} = review(cutting);
  const screen = await shows(/CUTS/);
  expect(screen).toMatch(/› +1 {2}client/);
  expect(screen).toMatch(/undo +Uncordons it\./);
  expect(screen).toContain(`type the node's name (${cutting.node})`);
  press(keys.down);
  await shows(/› +2/);
  press(keys.enter);
  const open = await shows(/before +\S/);
  expect(open).toMatch(/ 2 of \d+ steps/);
  expect(open).toMatch(/after +\S[\s\S]*step +service\.stop/);
});

test('a plan that interrupts the network requires the whole node name, another one requires y', async () => {
  const {shows, press, ends} = review(cutting);
  await shows(/CUTS/);
  press('y');
  await shows(/\): y/);
  press('\u007f');
  press(cutting.node);
  await shows(new RegExp(`\\): ${cutting.node}`));
  press(keys.enter);
  await vi.waitFor(() => expect(ends.at(-1)?.end).toBe('agreed'));
  const other = review(harmless);
  await other.shows(/Run this plan on/);
  other.press('y');
  await vi.waitFor(() => expect(other.ends.at(-1)?.end).toBe('agreed'));
});

test('what the list truncates of a step is shown below it', async () => {
  const long = 'a-pod-of-the-network-with-a-name-too-long-for-the-list-abcdefgh';
  const after = harmless.after.map(step =>
    step.do === 'pod.delete' ? {...step, with: {...step.with, name: long}} : step,
  );
  const {shows} = review({...harmless, after});
  await shows(/does +Deletes pod\s[\s\S]*abcdefgh/);
});

test('in screen reader mode a review reads the selected step, not the list', async () => {
  vi.stubEnv('INK_SCREEN_READER', 'true');
  const {shows, press} = review(cutting);
  await shows(/^Step 1 of \d+: on the client, Cordons/m);
  for (let i = 0; i < 7; i += 1) press(keys.down);
  const screen = await shows(/^Step 8 of \d+: on the node, interrupts the network, /m);
  expect(screen).toMatch(/^warning: The node's network is interrupted/m);
  expect(screen).not.toMatch(/›|Step 1 of/);
});

const names = ['win-1', '节点二', 'win-3'];
const choices = names.map((name, i) => ({name, about: ['Ready', `10.0.0.${i + 1}`, 'Windows Server']}));

function picker() {
  const ends: PickerState[] = [];
  return {
    ...onScreen(<NodePicker title="Which node?" choices={choices} onEnd={state => ends.push(state)} />),
    ends,
  };
}

test('nodes in a picker are in columns, even if a name has wide characters', async () => {
  const {shows, press, ends} = picker();
  const screen = await shows(/› win-1/);
  const places = screen
    .split('\n')
    .flatMap(line => (line.includes('Ready') ? stringWidth(line.split('Ready')[0] ?? '') : []));
  expect(new Set(places).size).toBe(1);
  press('j');
  await shows(/› 节点二/);
  press(keys.enter);
  await vi.waitFor(() => expect(ends.at(-1)).toMatchObject({at: 1, end: 'picked'}));
});

test('in screen reader mode a picker reads the position in the list', async () => {
  vi.stubEnv('INK_SCREEN_READER', 'true');
  const {shows, press} = picker();
  await shows(/^Node 1 of 3: win-1, Ready, 10\.0\.0\.1, Windows Server$/m);
  press('j');
  await shows(/^Node 2 of 3: 节点二/m);
});

const adapter = (name: string, rest: Partial<AdapterOffer> = {}): AdapterOffer => ({
  name,
  address: '10.0.0.1/24',
  speed: '10 Gbps',
  state: 'up',
  usedFor: '',
  unsuitable: undefined,
  warnings: [],
  question: undefined,
  ...rest,
});

test('an unsuitable adapter cannot be picked and says why; one with a question requires y', async () => {
  const ends: PickerState[] = [];
  const rows = [
    adapter('以太网', {unsuitable: 'it is down'}),
    adapter('Ethernet1', {question: 'Replace Ethernet0?', warnings: ['No route leads to win-2.']}),
  ];
  const {shows, press} = onScreen(
    <AdapterPicker title="Tunnel adapter" rows={rows} onEnd={state => ends.push(state)} />,
  );
  const screen = await shows(/Cannot be selected: it is down\./);
  const places = screen
    .split('\n')
    .flatMap(line => (line.includes('10.0.0.1') ? stringWidth(line.split('10.0.0.1')[0] ?? '') : []));
  expect(places).toHaveLength(2);
  expect(places[0]).toBe(places[1]);
  press(keys.enter);
  press('j');
  await shows(/! No route leads to win-2\./);
  press(keys.enter);
  await shows(/Replace Ethernet0\? y\/n/);
  press('y');
  await vi.waitFor(() => expect(ends.at(-1)).toMatchObject({at: 1, end: 'picked'}));
});

test('a journal waits for a node that was cut off, and shows the time limit', async () => {
  const view = {
    lines: ['win-1  ✓ 1/3 Cordons win-1.'],
    running: {text: `win-1  2/3 ${'Removes a network '.repeat(8)}`, since: 0},
    lostSince: 8000,
    atMostSeconds: 120,
    expected: true,
  };
  const {shows} = onScreen(<JournalLines view={view} sign="⠋" now={20_000} />);
  const screen = await shows(/Connection lost as expected, waiting for the node to come back \(12 s of at most 120\)/);
  expect(screen).toMatch(/^win-1 {2}✓ 1\/3 Cordons win-1\.$/m);
  expect(screen).toMatch(/^⠋ win-1 {2}2\/3 .*… {2}20 s$/m);
});
