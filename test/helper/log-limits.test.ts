import {afterAll, describe, expect, it} from 'vitest';
import {collect as simulatedCollect} from '../../src/sim/helper/collect.js';
import type {ProgramRun} from '../../src/sim/helper/program.js';
import type {JsonObject} from '../../src/sim/json.js';
import type {WindowsMachine} from '../../src/sim/windows/machine.js';
import {ask, collect, describeHelper, dumpOf, machineFor, nodeOf} from './powershell.js';

/** A log of that many bytes without repetition. */
const text = (bytes: number) =>
  Array.from({length: Math.ceil(bytes / 8)}, (_, i) => `${`${i}`.padStart(7, '0')}\n`)
    .join('')
    .slice(0, bytes);

const sizes = [500, 6000, 40_000, 50_000];
const logs = sizes.map((size, i) => ({
  Path: `C:\\k\\logs\\test\\${i}.log`,
  Length: size,
  LastWriteTime: '2026-03-02T09:12:50+00:00',
  Tail: text(size),
}));
const healthy = nodeOf('01-antrea-healthy');
const node = {...healthy, sections: {...healthy.sections, logs}};

/** The request, and how much of each log is returned. */
const cases: readonly (readonly [object, readonly number[]])[] = [
  [{}, [500, 6000, 16_384, 16_384]],
  [{logBytes: 1024}, [500, 1024, 1024, 1024]],
  [{logBytes: 1_048_576}, sizes],
  // The unused share of small logs goes to large ones.
  [{logBytes: 1_048_576, logBytesInAll: 30_000}, [500, 6000, 11_750, 11_750]],
  [{logBytes: 9000, logBytesInAll: 30_000}, [500, 6000, 9000, 9000]],
];
const refused = [{logBytes: 1_048_577}, {logBytes: 0}, {logBytes: 'all'}, {logBytesInAll: 16_777_217}];

const ends = (lengths: readonly number[]) => sizes.map((size, i) => text(size).slice(size - (lengths[i] ?? 0)));
const tails = (section: unknown) => (section as {Tail: string}[]).map(({Tail}) => Tail);

describe('the simulated helper', () => {
  const answer = async (more: object): Promise<unknown> => {
    let data: unknown;
    const run = {state: node, kept: undefined, signal: new AbortController().signal} as unknown as ProgramRun;
    await simulatedCollect(run, collect(['logs'], more) as unknown as JsonObject, async message => {
      data = message.data;
    });
    return data;
  };

  it.each(cases)('asked for %o returns the ends of logs', async (more, lengths) => {
    expect(tails(await answer(more))).toEqual(ends(lengths));
  });

  it.each(refused)('refuses %o', async more => {
    await expect(answer(more)).rejects.toMatchObject({kind: 'BadRequest'});
  });
});

describeHelper('the helper', () => {
  const machine: WindowsMachine = machineFor(node);
  afterAll(() => machine.dispose());

  // PowerShell is slow to start.
  it.each([cases[0], cases[3]].filter(one => one !== undefined))(
    'asked for %o returns the ends of logs',
    async (more, lengths) => {
      const answer = await ask(machine, collect(['logs'], more));
      expect(answer).toMatchObject({whole: true, noise: [], stderr: ''});
      expect(tails(dumpOf(answer).sections.logs)).toEqual(ends(lengths));
    },
  );

  it.each(refused.slice(0, 1))('refuses %o', async more => {
    const answer = await ask(machine, collect(['logs'], more));
    expect(answer.messages).toContainEqual(expect.objectContaining({type: 'error', kind: 'BadRequest'}));
  });
});
