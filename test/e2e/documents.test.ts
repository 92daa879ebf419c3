import {readdirSync, readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {describedCommands} from '../../scripts/commands.mjs';
import {commandPages} from '../../scripts/docs.mjs';
import {win} from './support.js';

const pages = await commandPages();

test('docs/checks.md matches the program; `npm run docs` regenerates it', async () => {
  const {stdout} = await win(['explain', '-o', 'markdown']);
  expect(readFileSync('docs/checks.md', 'utf8')).toBe(stdout);
});

test('docs/commands matches the program; `npm run docs` regenerates it', () => {
  expect(readdirSync('docs/commands').sort()).toEqual(Object.keys(pages).sort());
  for (const [name, text] of Object.entries(pages)) expect(readFileSync(`docs/commands/${name}`, 'utf8')).toBe(text);
});

test('every command documents exit codes and required rights, and shows examples before flags', () => {
  const {'README.md': _, ...commands} = pages;
  for (const [name, text] of Object.entries(commands)) {
    expect(text, name).toMatch(
      /\nExamples:\n {2}# .*\nOptions:\n.*\nExit codes:\n.*\nRBAC:\n.*\nUsage:\n {2}kubectl win /s,
    );
  }
});

test('what exit codes mean fits 80 columns', () => {
  const sections = Object.values(pages).flatMap(
    text => /\nExit codes:\n(.*?)\n\n/s.exec(String(text))?.[1]?.split('\n') ?? [],
  );
  expect(sections.length).toBeGreaterThan(20);
  expect(sections.filter(line => line.length > 80)).toEqual([]);
});

test('explain covers every check: meaning, cause, how to see it, how to fix it', async () => {
  const {stdout} = await win(['explain', '-o', 'json']);
  const {items} = JSON.parse(stdout) as {items: Record<string, string | string[]>[]};
  const listed = await win(['doctor', '--list-checks', '-o', 'name']);
  expect(items.map(({id}) => id)).toEqual(listed.stdout.trim().split('\n'));
  for (const {id, meaning, why, see, fix} of items) {
    expect([id, meaning?.length, why?.length, see?.length, fix?.length].every(Boolean), String(id)).toBe(true);
  }
});

test('explain suggests the nearest check for a typo', async () => {
  const {code, stderr} = await win(['explain', 'ovs/stale-brige']);
  expect(stderr).toContain('Did you mean "ovs/stale-bridge"?');
  expect(code).toBe(2);
});

test('--help of every command is its page, and works without a cluster', async () => {
  const {commandFacts: facts, helpOf} = await describedCommands();
  expect((await win(['--help'])).stdout).toBe(helpOf('', facts));
  for (const name of Object.keys(facts)) {
    const {code, stdout} = await win([...name.split(' '), '--help']);
    expect({code, stdout}).toEqual({code: 0, stdout: helpOf(name, facts)});
  }
});

test.each([
  [
    'a command line in a help is complete',
    ['help', 'helper', 'script'],
    0,
    'helper.ps1 -Snapshot -OutFile node.json\n',
  ],
  ['help of a command', ['help', 'doctor'], 0, 'kubectl win doctor [NODE...] [options]'],
  ['-h before a command', ['-h', 'helper', 'status'], 0, 'kubectl win helper status [options]'],
  ['help after arguments', ['doctor', 'win-1', '--help'], 0, 'kubectl win doctor [NODE...] [options]'],
  ['a topic alone', ['helper'], 0, 'kubectl win helper COMMAND [options]'],
  ['nothing at all', [], 0, 'kubectl win COMMAND [options]'],
  ['a mistyped command', ['docter'], 2, 'Did you mean "kubectl win doctor"?'],
  ['a mistyped command of a topic', ['helper', 'staus'], 2, 'Did you mean "kubectl win helper status"?'],
  ['a flag without a command', ['--nonsense'], 2, 'unknown flag "--nonsense"'],
])('%s is accepted', async (_, words, expected, text) => {
  const {code, stdout, stderr} = await win(words);
  expect(code).toBe(expected);
  expect(stdout + stderr).toContain(text);
});
