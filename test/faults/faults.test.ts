import {EventEmitter} from 'node:events';
import {writeFileSync} from 'node:fs';
import {expect, it} from 'vitest';
import {inParallel} from '../../src/lib/in-parallel.js';
import {faultKinds, type Trial, trialOf} from './faults.js';
import {type Outcome, run} from './run.js';

EventEmitter.defaultMaxListeners = 0;
process.setMaxListeners(0);

const number = (name: string, otherwise: number) => Number(process.env[name] ?? otherwise);
const seed = number('KUBECTL_WIN_FAULT_SEED', 20_261_117);
const runs = number('KUBECTL_WIN_FAULT_RUNS', 300);
const atOnce = number('KUBECTL_WIN_FAULT_PARALLEL', 24);
const table = process.env.KUBECTL_WIN_FAULT_TABLE;

const wordsOf = ({command, faults}: Trial) =>
  `kubectl win ${command.args.join(' ')} on ${command.scenario}, with ${faults.map(({kind, at, size}) => `${kind}(${size}) at request ${at}`).join(', ') || 'no fault'}`;

/** The shortest list of faults that still violates a guarantee. */
async function shrunk(trial: Trial): Promise<Trial> {
  for (const fault of trial.faults) {
    const fewer = {...trial, faults: trial.faults.filter(other => other !== fault)};
    if ((await run(fewer)).violations.length > 0) return shrunk(fewer);
  }
  return trial;
}

it(`keeps its guarantees through ${runs} runs with faults, from seed ${seed}`, {timeout: 0}, async () => {
  const met = new Map<string, number>();
  const codes = new Map<string, number>();
  const broken: [number, Trial, Outcome][] = [];
  await inParallel([...Array(runs).keys()], atOnce, async index => {
    const trial = trialOf(seed + index);
    const outcome = await run(trial);
    for (const {kind} of outcome.met) met.set(kind, (met.get(kind) ?? 0) + 1);
    const key = `${trial.command.args[0]} ${outcome.code}`;
    codes.set(key, (codes.get(key) ?? 0) + 1);
    if (outcome.violations.length > 0) broken.push([seed + index, trial, outcome]);
    if (index % 500 === 499) process.stderr.write(`${index + 1} runs, ${broken.length} with violations\n`);
  });
  const told: string[] = [];
  for (const [its, trial, outcome] of broken.slice(0, runs > 1000 ? 200 : 5)) {
    const shortest = runs > 1000 ? trial : await shrunk(trial);
    told.push(
      `seed ${its}: ${wordsOf(trial)}\n  ${outcome.violations.join('\n  ')}\n  shortest: ${wordsOf(shortest)}\n  repeat: npm run test:faults -- --seed ${its} --runs 1\n  exit ${outcome.code}: ${outcome.text.slice(-600)}`,
    );
  }
  if (table)
    writeFileSync(
      table,
      JSON.stringify(
        {seed, runs, met: Object.fromEntries(met), codes: Object.fromEntries(codes), broken: told},
        null,
        2,
      ),
    );
  expect(told.join('\n\n')).toBe('');
  expect(broken.length).toBe(0);
  // Trials without a single fault would prove nothing.
  if (runs >= 300) expect(Object.keys(faultKinds).filter(kind => !met.has(kind))).toEqual([]);
});

it('gives the same trial for the same seed', () => {
  expect(trialOf(7)).toEqual(trialOf(7));
  expect(trialOf(7)).not.toEqual(trialOf(8));
});

it("is as patient with errors after the client's clock has jumped", {timeout: 120_000}, async () => {
  const command = {
    args: ['cleanup', 'win-1', '--yes', '--verify-timeout=20s', '--timeout=60s'],
    scenario: 'rebooted',
    repairs: true,
  } as const;
  const outcomes = await inParallel([42, 44, 45, 46, 48, 50], 6, async at => {
    const faults = [
      {kind: 'clientClock', at: at - 1, size: 86_400_000} as const,
      {kind: 'error', at, size: 3} as const,
    ];
    const {code, met, text} = await run({command, faults});
    return {code, met: met.length, text: code === 0 ? '' : text};
  });
  expect(outcomes).toEqual(outcomes.map(() => ({code: 0, met: 2, text: ''})));
});
