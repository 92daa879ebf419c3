import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {PassThrough} from 'node:stream';
import {setTimeout as delay} from 'node:timers/promises';
import {cordonMark} from '../../src/checks/cordon.js';
import {commands} from '../../src/commands/map.js';
import {ExitCode, WinError} from '../../src/lib/errors.js';
import type {Streams} from '../../src/lib/streams.js';
import type {JournalEntry} from '../../src/model/plan.js';
import {configMapType, nodeType, podType} from '../../src/sim/api/resource-types.js';
import {at} from '../../src/sim/json.js';
import {unreachable} from '../../src/sim/live/reach.js';
import {rows} from '../../src/sim/node/state.js';
import {type Simulation, startSimulation} from '../../src/sim/simulation.js';
import {withClock} from './clock.js';
import {type Fault, faultKinds, lasts, scenarioOf, type Trial} from './faults.js';

const pace = {stepMs: 20, timeScale: 0.01, cutMs: 100, retryMs: 100};
/** Time after --timeout for removing what was created. */
const hangMs = 60_000 + 30_000;
const node = 'win-1';

export interface Outcome {
  readonly code: number | 'crash' | 'hang';
  readonly text: string;
  /** Faults that affected a request. */
  readonly met: readonly Fault[];
  readonly violations: readonly string[];
}

/** Runs a command in this process with its own cluster, and reports violated guarantees. */
export async function run({command, faults}: Trial): Promise<Outcome> {
  const simulation = await startSimulation({
    scenario: scenarioOf(command.scenario),
    controllers: true,
    pace,
    podStartMs: 30,
    podStopMs: 20,
  });
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-faults-'));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, simulation.kubeconfig);
  const before = networksOf(simulation);
  const layer = new FaultLayer(simulation, faults);
  try {
    const first = await withClock(layer.client, () => invoke([...command.args, `--kubeconfig=${kubeconfig}`]));
    layer.lift();
    const violations = [...ending(first, command.scenario, layer.met, command.args)];
    await settled(simulation);
    violations.push(...unreachableNodes(simulation), ...journals(simulation));
    if (!command.repairs && !layer.met.some(({kind}) => kind === 'reboot')) {
      const after = networksOf(simulation);
      if (JSON.stringify(after) !== JSON.stringify(before))
        violations.push('a command that only reads changed a network');
    }
    violations.push(...(await cordons(simulation, first, kubeconfig)));
    violations.push(...(await leftovers(simulation, first, kubeconfig)));
    return {...first, met: layer.met, violations};
  } finally {
    await simulation.close();
    rmSync(folder, {recursive: true, force: true});
  }
}

class FaultLayer {
  /** How far the client's clock is ahead. */
  readonly client = {aheadMs: 0};
  readonly met: Fault[] = [];
  readonly #simulation: Simulation;
  readonly #faults: readonly Fault[];
  #requests = 0;
  #watches = 0;
  #lifted = false;
  readonly #pending: Promise<unknown>[] = [];

  constructor(simulation: Simulation, faults: readonly Fault[]) {
    this.#simulation = simulation;
    this.#faults = faults;
    simulation.disturb(({path, user}) => {
      if (this.#lifted || user.startsWith('system:')) return undefined;
      const isWatch = path.includes('watch=true');
      const number = this.#requests++;
      const watch = isWatch ? this.#watches++ : -1;
      for (const fault of this.#faults) {
        const kind = faultKinds[fault.kind];
        const index = kind.on === 'watch' ? watch : number;
        const from = kind.on === 'watch' ? 0 : fault.at;
        if (index < from || index >= from + lasts(fault)) continue;
        if (!this.met.includes(fault)) this.met.push(fault);
        if ('disturb' in kind) return kind.disturb(fault.size);
        this.#happen(fault);
      }
      return undefined;
    });
  }

  lift(): void {
    this.#lifted = true;
    const plans = this.#simulation.plansOf(node);
    if (plans) plans.disk.full = false;
    const windows = this.#simulation.nodes.get(node);
    if (windows) windows.faults.kubeletDown = false;
  }

  #happen({kind, size}: Fault): void {
    const simulation = this.#simulation;
    const later = (ms: number, act: () => void) => this.#pending.push(delay(ms, undefined, {ref: false}).then(act));
    // After the current request.
    setImmediate(() => {
      if (kind === 'serverRestart') void simulation.restart(size, size);
      if (kind === 'reboot') simulation.happen(node, 'reboot');
      if (kind === 'connectionsLost') simulation.disconnect(node);
      if (kind === 'clientClock') this.client.aheadMs += size;
      const plans = simulation.plansOf(node);
      if (kind === 'nodeClock' && plans) plans.disk.clockAheadMs += size;
      if (kind === 'helperKilled' && plans?.disk.running !== undefined) plans.kill();
      if (kind === 'diskFull' && plans) {
        plans.disk.full = true;
        later(size, () => {
          plans.disk.full = false;
        });
      }
      const windows = simulation.nodes.get(node);
      if (kind === 'kubeletRestart' && windows) {
        windows.faults.kubeletDown = true;
        simulation.disconnect(node);
        later(size, () => {
          windows.faults.kubeletDown = false;
        });
      }
    });
  }
}

async function invoke(argv: readonly string[]): Promise<Pick<Outcome, 'code' | 'text'>> {
  const names = Object.keys(commands).sort((one, other) => other.length - one.length);
  const name = names.find(each => argv.slice(0, each.split(' ').length).join(' ') === each) ?? '';
  const Command = (await commands[name]?.())?.default;
  if (!Command) throw new Error(`there is no command ${argv[0]}`);
  let text = '';
  const sink = () => new PassThrough().on('data', chunk => (text += String(chunk)));
  const streams: Streams = {out: sink(), err: sink(), env: {NO_COLOR: '1'}};
  const command = new Command(argv.slice(name.split(' ').length));
  Object.defineProperty(command, 'streams', {value: streams});
  const over = new AbortController();
  const hang = delay(hangMs, 'hang' as const, {ref: false, signal: over.signal}).catch(() => 'hang' as const);
  try {
    const code = await Promise.race([command.execute(), hang]);
    await delay(5);
    return {code, text};
  } catch (error) {
    await delay(5);
    if (!(error instanceof WinError))
      return {code: 'crash', text: `${text}${error instanceof Error ? error.stack : error}`};
    return {code: error.exit, text: [text, `error: ${error.message}`, ...error.next].join('\n')};
  } finally {
    over.abort();
  }
}

/** How a command may exit under any fault. */
function ending(
  {code, text}: Pick<Outcome, 'code' | 'text'>,
  scenario: Trial['command']['scenario'],
  met: readonly Fault[],
  args: readonly string[],
): string[] {
  if (code === 'hang') return ['it did not end within --timeout'];
  if (code === 'crash') return [`it crashed: ${text.slice(-300)}`];
  if (code === ExitCode.usage) return [`it blames the user for a fault: ${text.slice(-300)}`];
  const isRebooted = met.some(({kind}) => kind === 'reboot');
  const [name] = args;
  if (name === 'doctor' && !args.includes('--fix')) {
    if (code === 0 && scenario !== 'healthy') return ['doctor says healthy, and the cluster is not'];
    if (code === 1 && scenario === 'healthy' && !isRebooted) return ['doctor finds problems in a healthy cluster'];
  }
  return [];
}

/** Waits until nothing runs on a node: plans, guards, boots. */
async function settled(simulation: Simulation): Promise<void> {
  const isBusy = () =>
    [...simulation.nodes.values()].some(
      ({name, state}) =>
        simulation.plansOf(name)?.disk.running !== undefined ||
        rows(state, 'scheduledTasks').some(({TaskName}) => /guard/.test(String(TaskName))),
    );
  for (const until = Date.now() + 20_000; isBusy() && Date.now() < until; ) await delay(50);
}

function unreachableNodes({nodes}: Simulation): string[] {
  return [...nodes.values()]
    .filter(({os}) => os === 'windows')
    .flatMap(({name, state, address}) => {
      const why = unreachable(state, address);
      return why === undefined ? [] : [`${name} is not reachable: ${why}`];
    });
}

function networksOf({nodes}: Simulation) {
  return [...nodes.values()].map(({name, state}) => [
    name,
    rows(state, 'hnsNetworks').map(({Name, ID}) => [Name, ID]),
    rows(state, 'netIPAddresses').map(({IPAddress, InterfaceAlias}) => [IPAddress, InterfaceAlias]),
  ]);
}

/** A journal matches what was done: no gaps, no end without its steps, nothing after the end. */
function journals(simulation: Simulation): string[] {
  return [...simulation.nodes.keys()].flatMap(name =>
    (simulation.plansOf(name)?.disk.folders ?? []).flatMap(folder => {
      const {id, journal} = folder;
      const {state} = simulation.plansOf(name)?.disk.status(folder) ?? {};
      const {steps} = JSON.parse(folder.text) as {steps: unknown[]};
      const done = new Set(journal.flatMap(entry => (entry.event === 'step.end' ? [entry.step] : [])));
      return [
        ...(state === 'running' ? [`plan ${id} is still running on ${name}`] : []),
        ...(journal.some(({seq}: JournalEntry, index) => seq !== index + 1) ? [`the journal of ${id} has gaps`] : []),
        ...(state === 'succeeded' && done.size !== steps.length
          ? [`plan ${id} succeeded without all of its steps`]
          : []),
      ];
    }),
  );
}

const cordonedNodes = ({store}: Simulation) =>
  [...store.all(nodeType)].filter(
    object => at(object, 'spec', 'unschedulable') === true || at(object, 'metadata', 'annotations', cordonMark),
  );

/** A node that stays cordoned is reported, never with exit code 0, and the next run uncordons it. */
async function cordons(
  simulation: Simulation,
  {code, text}: Pick<Outcome, 'code' | 'text'>,
  kubeconfig: string,
): Promise<string[]> {
  if (cordonedNodes(simulation).length === 0) return [];
  const violations = [
    ...(code === 0 ? ['exit code 0, and a node is cordoned'] : []),
    ...(/cordoned/.test(text) ? [] : ['a node is left cordoned without a word']),
  ];
  const status = await invoke(['cleanup', node, '--rollback', '--yes', '--timeout=60s', `--kubeconfig=${kubeconfig}`]);
  const again = await invoke([
    'cleanup',
    node,
    '--yes',
    '--verify-timeout=30s',
    '--timeout=60s',
    `--kubeconfig=${kubeconfig}`,
  ]);
  if (cordonedNodes(simulation).length > 0)
    violations.push(
      `the next cleanup leaves it cordoned too (${status.code}, ${again.code}): ${again.text.slice(-300)}`,
    );
  return violations;
}

function ours({store}: Simulation): string[] {
  return [podType, configMapType].flatMap(type =>
    [...store.all(type)]
      .filter(object => object.metadata.labels?.['app.kubernetes.io/managed-by'] === 'kubectl-win')
      .map(({metadata}) => `${type.kind} ${metadata.name}`),
  );
}

/** Leftovers are reported, and helper prune finds them. */
async function leftovers(simulation: Simulation, {text}: Pick<Outcome, 'text'>, kubeconfig: string): Promise<string[]> {
  await delay(100);
  const left = ours(simulation);
  if (left.length === 0) return [];
  const untold = /prune|expire|could not be removed|left behind/i.test(text)
    ? []
    : [`left without a word: ${left.join(', ')}`];
  await invoke(['helper', 'prune', '--all', `--kubeconfig=${kubeconfig}`]);
  await delay(200);
  const still = ours(simulation);
  return [...untold, ...(still.length > 0 ? [`helper prune leaves ${still.join(', ')}`] : [])];
}
