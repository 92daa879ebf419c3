import {describe, expect, it} from 'vitest';
import {type Following, followPlan} from '../../src/helper/plan-requests.js';
import {ExitCode, WinError} from '../../src/lib/errors.js';
import type {JournalEntry} from '../../src/model/plan.js';
import {type Attempt, hello, type ScriptedChannel, scriptedChannel, whole} from './channel.js';

const id = '0f9d3c52-6d0e-4b5e-9c57-2f1b8f0a7d11';
const other = '7c1f3a80-91aa-4f0c-8d35-6f2f6c1b9e02';

const entry = (seq: number, more: object = {event: 'step.begin', step: seq, do: 'service.stop'}, plan = id) =>
  JSON.stringify({type: 'journal', plan, seq, at: '2026-03-03T10:41:07Z', ...more});
const end = (seq: number, outcome = 'succeeded', more: object = {}) =>
  entry(seq, {event: 'plan.end', outcome, ...more});
const status = (state: string, plan = id) =>
  JSON.stringify({
    type: 'plan',
    id: plan,
    state,
    title: 'Clean up',
    createdAt: '2026-03-03T10:41:07Z',
    steps: 3,
    done: 1,
    lastSeq: 2,
  });

/** A connection that breaks after these lines. */
const cut = (...lines: string[]): Attempt => ({
  output: lines.map(line => `${line}\n`).join(''),
  outcome: {status: 'lost', why: 'the network is gone'},
});

interface Followed {
  readonly channel: ScriptedChannel;
  readonly entries: JournalEntry[];
  readonly losses: string[];
  /** Whether the previous connection was lost, for each connection. */
  readonly connections: boolean[];
  readonly ending: ReturnType<typeof followPlan>;
}

function follow(attempts: readonly Attempt[], more: Partial<Following> = {}): Followed {
  const channel = scriptedChannel(...attempts);
  const entries: JournalEntry[] = [];
  const losses: string[] = [];
  const connections: boolean[] = [];
  const ending = followPlan({
    connect: async lost => {
      connections.push(lost);
      return channel;
    },
    id,
    from: 1,
    onEntry: one => entries.push(one),
    onLost: why => losses.push(why),
    patienceMs: 300_000,
    signal: new AbortController().signal,
    ...more,
  });
  return {channel, entries, losses, connections, ending};
}

const seqs = (entries: readonly JournalEntry[]) => entries.map(({seq}) => seq);
const asked = ({requests}: ScriptedChannel) => requests.map(request => (request as {from: number}).from);

describe('following a plan', () => {
  it('reports every entry as it arrives, and the outcome of the plan', async () => {
    const followed = follow([{output: whole(hello, entry(1), end(2, 'failed', {message: 'Step 1 failed.'}))}]);
    expect(await followed.ending).toMatchObject({outcome: 'failed', message: 'Step 1 failed.'});
    expect(seqs(followed.entries)).toEqual([1, 2]);
    expect(followed.channel.requests).toMatchObject([{request: 'plan.follow', id, from: 1}]);
    expect(followed.losses).toEqual([]);
  });

  it('asks again from the next entry after a request times out', async () => {
    const followed = follow([{output: whole(hello, entry(1), entry(2))}, {output: whole(hello, end(3))}]);
    expect(await followed.ending).toMatchObject({outcome: 'succeeded'});
    expect(asked(followed.channel)).toEqual([1, 3]);
    expect(followed.connections).toEqual([false, false]);
    expect(followed.losses).toEqual([]);
  });

  it('does not ask forever if a helper reports nothing about its plan', async () => {
    const bogus = Array.from({length: 1000}, () => ({output: whole(hello, status('running'))}));
    const followed = follow(bogus, {pauseMs: 1});
    expect(await followed.ending).toMatchObject({
      outcome: 'lost',
      message: 'The helper reports nothing about its plan.',
    });
    expect(followed.channel.requests.length).toBeLessThan(30);
  });

  it('continues after lost connections, and asks only for missing entries', async () => {
    const followed = follow([cut(hello, entry(1), entry(2)), cut(), {output: whole(hello, entry(3), end(4))}]);
    expect(await followed.ending).toMatchObject({outcome: 'succeeded'});
    expect(seqs(followed.entries)).toEqual([1, 2, 3, 4]);
    expect(asked(followed.channel)).toEqual([1, 3, 3]);
    expect(followed.connections).toEqual([false, true, true]);
    expect(followed.losses).toEqual([expect.stringContaining('the network is gone'), expect.any(String)]);
  });

  it('ends with an end entry that arrived before the connection broke', async () => {
    const followed = follow([cut(hello, entry(1), end(2, 'rolledBack'))]);
    expect(await followed.ending).toMatchObject({outcome: 'rolledBack'});
    expect(followed.losses).toEqual([]);
  });

  it('treats an unreachable node as a lost connection', async () => {
    const channel = scriptedChannel({output: whole(hello, end(1))});
    let tries = 0;
    const followed = follow([], {
      connect: async () => {
        tries += 1;
        if (tries === 1) throw new WinError('no pod can be started on win-1.', {exit: ExitCode.uninspected});
        return channel;
      },
    });
    expect(await followed.ending).toMatchObject({outcome: 'succeeded'});
    expect(followed.losses).toEqual(['no pod can be started on win-1.']);
  });

  it('gives up on a node that is away for too long', async () => {
    const followed = follow([cut(hello, entry(1)), cut()], {patienceMs: 500});
    expect(await followed.ending).toMatchObject({outcome: 'lost', message: expect.stringContaining('gone')});
    expect(seqs(followed.entries)).toEqual([1]);
    expect(followed.losses).toHaveLength(1);
  });

  it('reports that a plan was interrupted if the node no longer runs it', async () => {
    const followed = follow([{output: whole(hello, entry(1), status('interrupted'))}]);
    expect(await followed.ending).toEqual({outcome: 'interrupted'});
    expect(seqs(followed.entries)).toEqual([1]);
  });

  it('ignores entries of other plans', async () => {
    const stranger = entry(2, {event: 'plan.end', outcome: 'failed'}, other);
    const followed = follow([
      {output: whole(hello, entry(1), stranger, status('interrupted', other), status('running'))},
      {output: whole(hello, end(2))},
    ]);
    expect(await followed.ending).toMatchObject({plan: id, outcome: 'succeeded'});
    expect(followed.entries.map(({plan, seq}) => [plan, seq])).toEqual([
      [id, 1],
      [id, 2],
    ]);
  });

  it('reports no entry twice, even if the node repeats it', async () => {
    const again = [entry(1), entry(2), entry(2), entry(1)];
    const followed = follow([{output: whole(hello, ...again)}, {output: whole(hello, ...again, entry(3), end(4))}]);
    await followed.ending;
    expect(seqs(followed.entries)).toEqual([1, 2, 3, 4]);
  });

  it('starts at the given entry', async () => {
    const followed = follow([{output: whole(hello, entry(6), entry(7), end(8))}], {from: 7});
    await followed.ending;
    expect(seqs(followed.entries)).toEqual([7, 8]);
    expect(asked(followed.channel)).toEqual([7]);
  });

  it('stops if the helper refuses', async () => {
    const refusal = JSON.stringify({type: 'error', kind: 'NotFound', message: 'Plan 0 does not exist on this node.'});
    const followed = follow([{output: whole(hello, refusal)}]);
    await expect(followed.ending).rejects.toMatchObject({kind: 'NotFound'});
    expect(followed.channel.requests).toHaveLength(1);
  });

  it('ends immediately when interrupted, also while it waits for the node', async () => {
    const interrupt = new AbortController();
    const followed = follow([cut()], {signal: interrupt.signal, onLost: () => interrupt.abort(new Error('Ctrl-C'))});
    await expect(followed.ending).rejects.toThrow('Ctrl-C');
    expect(followed.channel.requests).toHaveLength(1);
  });
});
