import {describe, expect, test} from 'vitest';
import {AnswerReader, HelperRefusal, type Reply} from '../../src/helper/answer-reader.js';
import {LineSplitter} from '../../src/helper/line-splitter.js';
import {scriptHash} from '../../src/helper/script.js';
import {encodeRequest} from '../../src/helper/wire.js';
import {ExitCode, WinError} from '../../src/lib/errors.js';
import {endOf, hello, section, sectionError, whole} from './channel.js';

const mebibyte = 1024 * 1024;

function read(...chunks: (string | Buffer)[]) {
  const replies: Reply[] = [];
  const reader = new AnswerReader('win-1', reply => replies.push(reply));
  for (const chunk of chunks) reader.write(Buffer.from(chunk));
  return {reader, replies};
}

const names = (replies: readonly Reply[]) => replies.map(reply => (reply.type === 'section' ? reply.name : reply.type));

describe('an answer', () => {
  const answer = whole(hello, section('os', {Caption: 'Windows Server 2022'}), section('hnsNetworks', []));

  test('is complete if its last line has the count and hash of the others', () => {
    const {reader, replies} = read(answer);
    expect(reader.fault('')).toBeUndefined();
    expect(replies).toEqual([
      {type: 'section', name: 'os', ms: 3, data: {Caption: 'Windows Server 2022'}},
      {type: 'section', name: 'hnsNetworks', ms: 3, data: []},
    ]);
    expect(reader.ms).toBe(7);
    expect(reader.noise).toEqual([]);
    expect(reader.hello?.host).toBe('WIN-1');
  });

  test('is the same for any chunk boundaries, with either line ending', () => {
    const bytes = Buffer.from(answer.replaceAll('\n', '\r\n'));
    const {reader, replies} = read(...[...bytes].map(byte => Buffer.of(byte)));
    expect(reader.fault('')).toBeUndefined();
    expect(names(replies)).toEqual(['os', 'hnsNetworks']);
  });

  test('may have an upper-case hash', () => {
    const lines = [hello, section('os', {})];
    const end = JSON.parse(endOf(lines));
    const {reader} = read([...lines, JSON.stringify({...end, sha256: end.sha256.toUpperCase()}), ''].join('\n'));
    expect(reader.fault('')).toBeUndefined();
  });

  test('is incomplete without its last line, and says how much arrived', () => {
    expect(read().reader.fault('')).toBe('nothing was received');
    expect(read().reader.fault('the connection closed')).toBe('nothing was received (the connection closed)');
    expect(read(`${hello}\n`).reader.fault('')).toBe('it ended after 1 line, without the last one');
    const two = `${hello}\n${section('os', {})}\n`;
    expect(read(two).reader.fault('reset')).toBe('it ended after 2 lines, without the last one (reset)');
    expect(read(two).reader.ms).toBe(0);
    expect(read(answer.slice(0, -1)).reader.fault('')).toBe('it ended after 3 lines, without the last one');
  });

  test('is incomplete if a line is missing or was altered', () => {
    const lines = answer.split('\n');
    expect(read(lines.toSpliced(1, 1).join('\n')).reader.fault('')).toBe('received 2 of 3 lines');
    expect(read(answer.replace('2022', '2019')).reader.fault('')).toBe('its 3 lines were altered in transit');
  });

  test('ends with its last line: what follows is not read', () => {
    const {reader, replies} = read(answer, `${section('late', {})}\n`, 'goodbye\n');
    expect(reader.fault('')).toBeUndefined();
    expect(names(replies)).toEqual(['os', 'hnsNetworks']);
    expect(reader.noise).toEqual([]);
  });

  test('without a greeting is rejected', () => {
    const {reader, replies} = read(whole(section('os', {}), hello));
    expect(replies).toEqual([]);
    expect(reader.fault('')).toBe('it did not start with a greeting');
  });

  test.each([
    ['a section without a name', JSON.stringify({type: 'section', ms: 3, data: {}})],
    ['an unknown type', JSON.stringify({type: 'surprise'})],
    ['a negative age', JSON.stringify({type: 'kept', ageMs: -1})],
    [
      'an unknown result of the self-test',
      JSON.stringify({type: 'selftest', area: 'a', name: 'b', result: 'x', ms: 1}),
    ],
  ])('is faulty with %s, and the first fault is reported', (_, line) => {
    const {reader} = read(whole(hello, line, section('os', {}), line));
    expect(reader.fault('')).toBe('line 2 is invalid');
  });

  test('keeps why a section was not read; an unknown kind counts as a failure', () => {
    const {replies} = read(whole(hello, sectionError('ovs', 'AccessDenied', 'no'), sectionError('os', 'Odd', 'what')));
    expect(replies).toMatchObject([
      {name: 'ovs', error: {kind: 'AccessDenied', message: 'no'}},
      {name: 'os', error: {kind: 'Failed', message: 'what'}},
    ]);
  });

  test('passes on plan, boot and log messages with all fields', () => {
    const lines = ['journal', 'plan', 'boot', 'audit'].map(type => ({type, seq: 3}));
    const kept = {type: 'kept', ageMs: 0};
    const {reader, replies} = read(whole(hello, ...[...lines, kept].map(line => JSON.stringify(line))));
    expect(reader.fault('')).toBeUndefined();
    expect(replies).toEqual([...lines, kept]);
  });
});

describe('other text in an answer', () => {
  test('is kept apart, and has no effect', () => {
    const {reader, replies} = read(
      `WARNING: profile\n\n{not JSON\n{"level": "info"}\n[1]\n${whole(hello, section('os', {}))}`,
    );
    expect(reader.fault('')).toBeUndefined();
    expect(reader.noise).toEqual(['WARNING: profile', '{not JSON', '{"level": "info"}', '[1]']);
    expect(names(replies)).toEqual(['os']);
  });

  test('alone is reported, without escape sequences', () => {
    expect(read('\u001b[31maccess denied\n').reader.fault('exit 1')).toMatch(
      /^only other text was received: ".*access denied" \(exit 1\)$/,
    );
    expect(read('\u001b[31maccess denied\n').reader.fault('')).not.toContain('\u001b');
  });

  test('is limited: the first 200 lines, and the start of each', () => {
    const {reader} = read(`${'x'.repeat(5000)}\n`, 'line\n'.repeat(300));
    expect(reader.noise).toHaveLength(200);
    expect(reader.noise[0]).toHaveLength(4096);
  });
});

describe('a helper is dropped immediately', () => {
  const error = (...chunks: (string | Buffer)[]): unknown => {
    try {
      read(...chunks);
    } catch (caught) {
      return caught;
    }
    throw new Error('it was read');
  };
  const greeting = (change: object) => `${JSON.stringify({...JSON.parse(hello), ...change})}\n`;

  test('if it uses another protocol', () => {
    expect(error(greeting({protocol: 2}))).toMatchObject({
      message: 'The helper on win-1 uses protocol 2, but this client requires 1; it was not used.',
      exit: ExitCode.uninspected,
    });
  });

  test('if it is another script', () => {
    const other = 'ab'.repeat(32);
    const caught = error(greeting({scriptHash: other}));
    expect(caught).toBeInstanceOf(WinError);
    expect(caught).toMatchObject({
      message: `The helper on win-1 runs a different script (${other.slice(0, 12)}) than this client sent (${scriptHash.slice(0, 12)}); it was not used.`,
      exit: ExitCode.uninspected,
      next: [expect.stringContaining('helper install'), expect.stringContaining('ConfigMap')],
    });
    expect(read(greeting({scriptHash: scriptHash.toUpperCase()})).reader.hello).toBeDefined();
  });

  test('if it refuses, with its reason', () => {
    const refusal = JSON.stringify({type: 'error', kind: 'Busy', message: 'a plan \u001b[2Jruns'});
    const caught = error(`${hello}\n${refusal}\n`);
    expect(caught).toBeInstanceOf(HelperRefusal);
    expect(caught).toMatchObject({name: 'HelperRefusal', kind: 'Busy', exit: ExitCode.uninspected});
    expect((caught as Error).message).toMatch(/^The helper on win-1 refused: a plan .*runs$/);
    expect((caught as Error).message).not.toContain('\u001b');
  });

  test('if it sends an endless line', () => {
    const megabyte = Buffer.alloc(mebibyte, 'x');
    const upTo = (count: number) => Array.from({length: count}, () => megabyte);
    expect(read(...upTo(32)).reader.fault('')).toBe('nothing was received');
    expect(error(...upTo(32), 'x')).toMatchObject({
      message: 'The helper on win-1 sent a line longer than 32 MiB; the connection was closed.',
      exit: ExitCode.uninspected,
    });
  });

  test('if it sends more than any node can contain', () => {
    const megabyte = Buffer.alloc(mebibyte, 'x');
    megabyte[mebibyte - 1] = 0x0a;
    const upTo = (count: number) => Array.from({length: count}, () => megabyte);
    expect(read(...upTo(64)).reader.noise).toHaveLength(64);
    expect(error(...upTo(64), 'x')).toMatchObject({
      message: 'The helper on win-1 sent more than 64 MiB; the connection was closed.',
      exit: ExitCode.uninspected,
    });
  });

  test('if a line is nested too deeply', () => {
    const deep = `{"type":"journal","seq":1,"data":${'['.repeat(5000)}${']'.repeat(5000)}}`;
    expect(error(`${hello}\n${deep}\n`)).toMatchObject({
      message: expect.stringMatching(
        /^The helper on win-1 sent a line that is too large: .+; the connection was closed\.$/,
      ),
      exit: ExitCode.uninspected,
    });
  });
});

describe('lines', () => {
  const split = (...chunks: string[]) => {
    const lines: string[] = [];
    const splitter = new LineSplitter(line => lines.push(line.toString()));
    for (const chunk of chunks) splitter.write(Buffer.from(chunk));
    return {lines, pending: splitter.pending, rest: splitter.rest().toString()};
  };

  test('have no line ending, and an unfinished one waits', () => {
    expect(split('a\nb\r\n\nc')).toEqual({lines: ['a', 'b', ''], pending: 1, rest: 'c'});
    expect(split('ab', 'cd', 'e\nfg', 'h')).toEqual({lines: ['abcde'], pending: 3, rest: 'fgh'});
    expect(split('a\r', '\nb\rc\n')).toEqual({lines: ['a', 'b\rc'], pending: 0, rest: ''});
  });
});

test('a request is one line of base64', () => {
  const line = encodeRequest({protocol: 1, request: 'selftest', deadlineMs: 1000});
  expect(line).toMatch(/^[A-Za-z0-9+/=]+\n$/);
  expect(JSON.parse(Buffer.from(line, 'base64').toString())).toEqual({
    protocol: 1,
    request: 'selftest',
    deadlineMs: 1000,
  });
});
