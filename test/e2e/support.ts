import {type ChildProcess, spawn} from 'node:child_process';
import {EventEmitter, once} from 'node:events';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';
import {text} from 'node:stream/consumers';
import {fileURLToPath} from 'node:url';
import {kubectl as kubectlPath} from '../../scripts/kubectl.mjs';
import type {Scenario} from '../../src/sim/scenario.js';
import {loadScenario} from '../../src/sim/scenarios.js';
import {type Simulation, type SimulationOptions, startSimulation} from '../../src/sim/simulation.js';
import {chosenApi} from '../apiserver/chosen-api.js';

const bin = fileURLToPath(new URL('../../bin', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that runs as a real process with its own environment. */
export class Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  readonly #output = new EventEmitter();
  #stderr = '';
  #stdout = '';

  constructor(program: string, args: readonly string[], env: NodeJS.ProcessEnv, input?: string) {
    const child = spawn(program, args, {env, stdio: ['pipe', 'pipe', 'pipe']});
    this.child = child;
    child.stderr.on('data', chunk => {
      this.#stderr += String(chunk);
      this.#output.emit('more');
    });
    child.stdout.on('data', chunk => {
      this.#stdout += String(chunk);
      this.#output.emit('more');
    });
    child.stdin.end(input ?? '');
    this.ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
      ([[code, signal], stdout, stderr]) => ({code, signal, stdout, stderr}),
    );
  }

  /** Waits until the program has printed a text; fails if it exits without it or takes too long. */
  async printed(pattern: RegExp): Promise<string> {
    const deadline = AbortSignal.timeout(100_000);
    deadline.addEventListener('abort', () => this.#output.emit('more'));
    let hasEnded = false;
    const ended = this.ended.then(() => {
      hasEnded = true;
      this.#output.emit('more');
    });
    for (;;) {
      const match = pattern.exec(this.#stdout + this.#stderr);
      if (match) return match[0];
      if (hasEnded) throw new Error(`ended without printing ${pattern}: ${this.#stdout}${this.#stderr}`);
      if (deadline.aborted) throw new Error(`does not print ${pattern}: ${this.#stdout}${this.#stderr}`);
      await Promise.race([once(this.#output, 'more'), ended]);
    }
  }
}

/** A simulated cluster with the real program and the real kubectl. */
export class Cluster {
  readonly simulation: Simulation;
  readonly folder: string;
  readonly kubeconfig: string;

  constructor(simulation: Simulation) {
    this.simulation = simulation;
    this.folder = mkdtempSync(join(tmpdir(), 'kubectl-win-test-'));
    this.kubeconfig = join(this.folder, 'kubeconfig');
    writeFileSync(this.kubeconfig, simulation.kubeconfig);
  }

  get env(): NodeJS.ProcessEnv {
    return {...cleanEnvironment(), KUBECONFIG: this.kubeconfig, HOME: this.folder};
  }

  start(...args: string[]): Running {
    return new Running(join(bin, 'kubectl-win'), args, this.env);
  }

  async win(...args: string[]): Promise<Ended> {
    await this.simulation.settled();
    return this.start(...args).ended;
  }

  async kubectl(...args: string[]): Promise<Ended> {
    await this.simulation.settled();
    return new Running(kubectlPath(), args, this.env).ended;
  }

  /** Our objects in the cluster, as found by the real kubectl. */
  async leftovers(): Promise<string> {
    const {stdout} = await this.kubectl(
      'get',
      'pods,configmaps',
      '-A',
      '-l',
      'app.kubernetes.io/managed-by=kubectl-win',
      '-o',
      'name',
    );
    return stdout;
  }

  async close(): Promise<void> {
    await this.simulation.close();
    rmSync(this.folder, {recursive: true, force: true});
  }
}

export function startCluster(scenario: string, options: Partial<SimulationOptions> = {}): Promise<Cluster> {
  return startClusterOf(loadScenario(scenario), options);
}

export async function startClusterOf(scenario: Scenario, options: Partial<SimulationOptions> = {}): Promise<Cluster> {
  const api = await chosenApi();
  return new Cluster(await startSimulation({scenario, controllers: true, api, ...options}));
}

/** Runs the program without a cluster. */
export function win(args: readonly string[], env: NodeJS.ProcessEnv = {}, input?: string): Promise<Ended> {
  return new Running(join(bin, 'kubectl-win'), args, {...cleanEnvironment(), KUBECONFIG: '/nonexistent', ...env}, input)
    .ended;
}

export function demo(...args: string[]): Running {
  return new Running(join(bin, 'kubectl-win'), ['demo', ...args], cleanEnvironment());
}

/** PATH with the plugin's folder and kubectl, and no variable that changes how programs print. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const {NO_COLOR: _, FORCE_COLOR: __, KUBECONFIG: ___, ...rest} = process.env;
  return {...rest, PATH: [bin, kubectlPath().replace(/\/kubectl$/, ''), process.env.PATH ?? ''].join(delimiter)};
}
