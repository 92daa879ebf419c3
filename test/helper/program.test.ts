import {spawn} from 'node:child_process';
import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {existsSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import helperScript from 'virtual:helper.ps1';
import {afterAll, expect, it} from 'vitest';
import type {ChangeState} from '../../src/sim/node/state.js';
import {PowerShellProgram} from '../../src/sim/windows/program.js';
import type {NodeDump} from '../../src/snapshot/document.js';
import {eventually} from '../eventually.js';
import {deadMan, everyStep, nodeForEveryStep} from './every-step.js';
import {addGates, gate, journalOf, type PlanText, planOf} from './plans.js';
import {ask, collect, describeHelper, machineFor, parse, pwsh} from './powershell.js';
import {rows} from './state.js';

const programs: PowerShellProgram[] = [];
afterAll(async () => {
  for (const program of programs) await program[Symbol.asyncDispose]();
});

/** A node of a simulation, as its exec sees it. */
function simulatedNode(node: NodeDump = nodeForEveryStep()) {
  // Task Scheduler starts guards every six seconds instead of every two minutes.
  const program = new PowerShellProgram(pwsh ?? '', {timeScale: 0.05});
  programs.push(program);
  let state = node;
  let keptIn: ChangeState | undefined;
  const ground = () => ({
    state,
    save: (next: NodeDump) => {
      state = next;
    },
    keepStateIn: (elsewhere: ChangeState | undefined) => {
      keptIn = elsewhere;
    },
    host: 'WIN-1',
    name: 'win-1',
  });
  const exec = async (request: object) => {
    const output: Uint8Array[] = [];
    const line = `${Buffer.from(JSON.stringify(request)).toString('base64')}\n`;
    await program.run({
      ...ground(),
      kept: undefined,
      // A client does not have to close its end.
      stdin: (async function* () {
        yield Buffer.from(line);
        await new Promise(() => undefined);
      })(),
      stdout: async bytes => void output.push(bytes),
      stderr: async bytes => void output.push(bytes),
      scriptHash: createHash('sha256').update(helperScript).digest('hex'),
      script: helperScript,
      signal: new AbortController().signal,
    });
    return parse(Buffer.concat(output));
  };
  return {
    exec,
    start: ({text, hash}: PlanText) =>
      exec({protocol: 1, request: 'plan.start', deadlineMs: 120_000, plan: text, hash}),
    follow: ({id}: PlanText) => exec({protocol: 1, request: 'plan.follow', deadlineMs: 120_000, id, from: 1}),
    row: (section: string, name: string) => rows(state, section).find(({Name}) => Name === name),
    /** What a program on the node does. */
    change(change: (state: NodeDump) => NodeDump) {
      state = keptIn ? keptIn(change) : change(state);
    },
    isKeptElsewhere: () => keptIn !== undefined,
    rows: (section: string) => rows(state, section),
    machine: () => {
      const machine = program.machineOf('WIN-1');
      if (!machine) throw new Error('nobody has asked the node anything yet');
      return machine;
    },
    reboot() {
      program.powerOff('WIN-1');
      program.powerOn(ground());
    },
  };
}

describeHelper('a simulated node behind the real scripts', () => {
  it('answers a request, and keeps the changes of a background plan after its exec has ended', async () => {
    const {exec, start, follow, row} = simulatedNode();
    const read = await exec(collect(['os', 'services']));
    expect(read).toMatchObject({whole: true, noise: []});
    expect(read.messages[0]).toMatchObject({scriptHash: createHash('sha256').update(helperScript).digest('hex')});

    const plan = planOf([{do: 'service.stop', with: {name: 'flanneld'}}]);
    expect((await start(plan)).messages[1]).toMatchObject({type: 'plan', id: plan.id});
    await eventually('flanneld to stop', () => row('services', 'flanneld')?.State === 'Stopped');

    expect((await follow(plan)).messages.at(-2)).toMatchObject({event: 'plan.end', outcome: 'succeeded'});
    expect(row('services', 'flanneld')).toMatchObject({State: 'Stopped'});
  });

  it('lets an agent work beside a plan that waits for it, and keeps the changes of both', async () => {
    const {start, follow, row, change, isKeptElsewhere} = simulatedNode();
    const plan = planOf([
      {do: 'service.stop', with: {name: 'flanneld'}},
      {do: 'wait.until', with: {until: 'hnsNetwork', name: 'made-by-agent', present: true}, timeoutSeconds: 240},
    ]);
    await start(plan);
    await eventually('flanneld to stop', () => row('services', 'flanneld')?.State === 'Stopped');
    expect(isKeptElsewhere()).toBe(true);
    change(state => withNetwork(state, 'made-by-agent'));

    expect((await follow(plan)).messages.at(-2)).toMatchObject({event: 'plan.end', outcome: 'succeeded'});
    await eventually('the state to come back', () => !isKeptElsewhere());
    expect(row('services', 'flanneld')).toMatchObject({State: 'Stopped'});
    expect(row('hnsNetworks', 'made-by-agent')).toBeDefined();
  });

  it('keeps what an agent changes during a read', async () => {
    const {exec, row, change, isKeptElsewhere} = simulatedNode();
    const reading = exec(collect(['os']));
    change(state => withNetwork(state, 'made-by-agent'));
    await reading;
    expect(isKeptElsewhere()).toBe(false);
    expect(row('hnsNetworks', 'made-by-agent')).toBeDefined();
  });
});

describeHelper('the guard of a plan on a simulated node', () => {
  it.each([
    ['when the process of the plan was killed', 'kill'],
    ['at a boot', 'reboot'],
  ])('starts %s, restores the node, and is removed', async (_, end) => {
    const node = nodeForEveryStep();
    addGates(node, ['gate']);
    // It waits at the gate, between two interruptions.
    const cuts = everyStep(node).filter(step => ['ovs.deleteBridge', 'vnic.remove'].includes(step.do));
    const [first, last] = cuts.map(step => ({...step, cuts: true}));
    if (!first || !last) throw new Error('there are no such steps');
    const plan = planOf([first, gate('gate'), last], {deadMan: {...deadMan, withinSeconds: 10}});
    const {start, machine, reboot, rows, isKeptElsewhere} = simulatedNode(node);
    await start(plan);
    await eventually('the cut', () =>
      journalOf(machine(), plan.id).some(({event, step}) => event === 'step.begin' && step === 1),
    );
    const task = machine()
      .tasks()
      .find(({TaskName}) => TaskName === `kubectl-win-${plan.id}`);
    const process_ = task && machine().processOf(task);
    if (process_ === undefined) throw new Error('no process runs the plan');
    if (end === 'kill') process.kill(process_, 'SIGKILL');
    else reboot();
    await eventually('the guard to end', () => journalOf(machine(), plan.id).some(({event}) => event === 'plan.end'));
    expect(journalOf(machine(), plan.id).at(-1)).toMatchObject({outcome: 'rolledBack'});
    await eventually('the state to come back', () => !isKeptElsewhere());
    expect(rows('scheduledTasks').filter(({TaskName}) => String(TaskName).startsWith('kubectl-win-'))).toEqual([]);
  });
});

describeHelper('the state of a node', () => {
  it('is not blocked by a process that was killed while it held the lock', async () => {
    const machine = machineFor(nodeForEveryStep());
    const killed = spawn(process.execPath, ['--eval', 'setInterval(() => undefined, 1000)']);
    writeFileSync(`${machine.stateFile}.lock`, String(killed.pid));
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    machine.change(state => withNetwork(state, 'mine'));
    expect(existsSync(`${machine.stateFile}.lock`)).toBe(false);

    writeFileSync(`${machine.stateFile}.lock`, String(killed.pid));
    const {messages} = await ask(machine, collect(['hnsNetworks']));
    expect(messages[1]).toMatchObject({name: 'hnsNetworks', data: expect.arrayContaining([expect.anything()])});
    await machine.dispose();
  });
});

describeHelper('concurrent changes of the state', () => {
  it('by PowerShell and the simulation are all kept', async () => {
    const machine = machineFor({sections: {counted: 0}, errors: {}});
    const script = `. '${join(machine.folder, 'stub', 'state.ps1')}'; foreach ($i in 1..50) { Edit-State { param($state) $state.sections.counted++ } }`;
    const env = {...process.env, ...machine.environment};
    const others = [1, 2].map(() => spawn(pwsh ?? '', ['-NoProfile', '-NonInteractive', '-Command', script], {env}));
    const ended = Promise.all(others.map(other => once(other, 'exit')));
    let mine = 0;
    for (; others.some(({exitCode}) => exitCode === null); mine++) {
      machine.change(({sections, errors}) => ({
        errors,
        sections: {...sections, counted: Number(sections.counted) + 1},
      }));
      await delay(20);
    }
    expect(await ended).toEqual([
      [0, null],
      [0, null],
    ]);
    expect(machine.read().sections.counted).toBe(100 + mine);
    await machine.dispose();
  });
});

function withNetwork(state: NodeDump, Name: string): NodeDump {
  const network = {...rows(state, 'hnsNetworks')[0], ID: '7A1C94B0-53B0-4E9A-9D0B-0F6A7C1D2E3F', Name};
  return {...state, sections: {...state.sections, hnsNetworks: [...rows(state, 'hnsNetworks'), network]}};
}
