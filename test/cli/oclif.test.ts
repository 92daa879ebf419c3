import {PassThrough} from 'node:stream';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import {afterEach, expect, test, vi} from 'vitest';
import {WinCommand} from '../../src/cli/command.js';
import {aliasesIn, factsOf} from '../../src/cli/command-facts.js';
import {readWords} from '../../src/cli/command-words.js';
import {minimalConfig} from '../../src/cli/config.js';
import {generalFlags, outputFlag} from '../../src/cli/flags.js';
import {commands} from '../../src/commands/map.js';

/** A command written with plain oclif features. */
class Greet extends WinCommand {
  static override summary = 'Greet someone';
  static override aliases = ['hello', 'say:hello'];
  static override enableJsonFlag = true;
  static override exitCodes = {0: 'greeted'};
  static override args = {name: Args.string({description: 'Person to greet'})};
  static override flags = {
    greeting: Flags.string({default: 'Hello', env: 'GREETING', aliases: ['salute']}),
    output: outputFlag(['text', 'json', 'yaml'], 'Format'),
    ...generalFlags,
  };

  protected override readonly streams = {out, err: out, env: {}};

  async run() {
    const {args, flags} = await this.parse(Greet);
    const result = {greeting: flags.greeting, name: args.name ?? 'nobody'};
    return {result, view: {text: ({greeting, name}: typeof result) => `${greeting}, ${name}.\n`}, exitCode: 1 as const};
  }
}

const out = new PassThrough();
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

async function printedBy(...argv: string[]): Promise<string> {
  const written = vi.spyOn(out, 'write').mockReturnValue(true);
  expect(await new Greet(argv).execute()).toBe(1);
  const texts = written.mock.calls.map(([text]) => text);
  written.mockRestore();
  return texts.join('');
}

test('a command returns its result, and one printer supports every format', async () => {
  expect(await printedBy('Ada')).toBe('Hello, Ada.\n');
  expect(JSON.parse(await printedBy('Ada', '-o', 'json'))).toEqual({greeting: 'Hello', name: 'Ada'});
  expect(await printedBy('Ada', '-o', 'yaml')).toBe('greeting: Hello\nname: Ada\n');
});

test('flags read their values from the environment, and have aliases', async () => {
  vi.stubEnv('GREETING', 'Welcome');
  expect(await printedBy('Ada')).toBe('Welcome, Ada.\n');
  expect(await printedBy('Ada', '--salute', 'Good day')).toBe('Good day, Ada.\n');
});

test('--json prints only the result, if a command enables it', async () => {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  expect(await printedBy('--json')).toBe('');
  const text = written.mock.calls.map(([chunk]) => String(chunk)).join('');
  expect(JSON.parse(text)).toEqual({greeting: 'Hello', name: 'nobody'});
});

test('hooks run before a command, before it parses, and after it', async () => {
  const seen: string[] = [];
  const hook = (name: string) => [async () => seen.push(name)];
  const hooks = {prerun: hook('prerun'), preparse: hook('preparse'), postrun: hook('postrun')};
  vi.spyOn(out, 'write').mockReturnValue(true);
  await new Greet([], minimalConfig(hooks)).execute();
  expect(seen).toEqual(['prerun', 'preparse', 'postrun']);
});

test('a command is found by its aliases', async () => {
  const aliases = aliasesIn({greet: await factsOf('greet', Greet)});
  expect(readWords(['hello', 'Ada'], ['greet'], aliases)).toEqual({name: 'greet', help: false, argv: ['Ada']});
  expect(readWords(['say', 'hello', 'Ada'], ['greet'], aliases)).toMatchObject({name: 'greet', argv: ['Ada']});
  expect(() => readWords(['hallo'], ['greet'], aliases)).toThrow('unknown command "hallo".');
});

test('every command documents its exit codes, and 2 is always bad usage', async () => {
  for (const [name, load] of Object.entries(commands)) {
    const {exitCodes} = (await load()).default;
    expect(exitCodes, name).toHaveProperty('2');
    expect(Object.keys(exitCodes).length, name).toBeGreaterThan(1);
  }
});
