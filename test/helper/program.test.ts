import {createHash} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import helperScript from 'virtual:helper.ps1';
import {afterAll, expect, it} from 'vitest';
import {PowerShellProgram} from '../../src/sim/windows/program.js';
import type {NodeDump} from '../../src/snapshot/document.js';
import {nodeForEveryStep} from './every-step.js';
import {planOf} from './plans.js';
import {collect, describeHelper, parse, pwsh} from './powershell.js';
import {rows} from './state.js';

const programs: PowerShellProgram[] = [];
afterAll(async () => {
  for (const program of programs) await program[Symbol.asyncDispose]();
});

/** A node of a simulation, as its exec sees it. */
function simulatedNode(program: PowerShellProgram) {
  let state: NodeDump = nodeForEveryStep();
  const exec = async (request: object) => {
    const output: Uint8Array[] = [];
    const line = `${Buffer.from(JSON.stringify(request)).toString('base64')}\n`;
    await program.run({
      state,
      save: next => {
        state = next;
      },
      host: 'WIN-1',
      // A client need not close its end.
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
  return {exec, service: (name: string) => rows(state, 'services').find(({Name}) => Name === name)};
}

describeHelper('a simulated node behind the real scripts', () => {
  it('answers a request, and keeps what a plan in the background changes after its exec has ended', async () => {
    const program = new PowerShellProgram(pwsh ?? '');
    programs.push(program);
    const {exec, service} = simulatedNode(program);
    const read = await exec(collect(['os', 'services']));
    expect(read).toMatchObject({whole: true, noise: []});
    expect(read.messages[0]).toMatchObject({scriptHash: createHash('sha256').update(helperScript).digest('hex')});

    const plan = planOf([{do: 'service.stop', with: {name: 'kubelet'}}]);
    const started = await exec({
      protocol: 1,
      request: 'plan.start',
      deadlineMs: 120_000,
      plan: plan.text,
      hash: plan.hash,
    });
    expect(started.messages[1]).toMatchObject({type: 'plan', id: plan.id});
    while (service('kubelet')?.State !== 'Stopped') await delay(100);

    const status = await exec({protocol: 1, request: 'plan.follow', deadlineMs: 120_000, id: plan.id, from: 1});
    expect(status.messages.at(-2)).toMatchObject({event: 'plan.end', outcome: 'succeeded'});
    expect(service('kubelet')).toMatchObject({State: 'Stopped'});
  });
});
