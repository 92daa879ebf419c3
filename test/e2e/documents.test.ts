import {readdirSync, readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {commandPages} from '../../scripts/docs.mjs';
import {win} from './support.js';

const pages = commandPages();

test('docs/checks.md is what the program says; `npm run docs` writes it anew', async () => {
  const {stdout} = await win(['explain', '-o', 'markdown']);
  expect(readFileSync('docs/checks.md', 'utf8')).toBe(stdout);
});

test('docs/commands is what the program says; `npm run docs` writes it anew', () => {
  expect(readdirSync('docs/commands').sort()).toEqual(Object.keys(pages).sort());
  for (const [name, text] of Object.entries(pages)) expect(readFileSync(`docs/commands/${name}`, 'utf8')).toBe(text);
});

test('every command says how it ends, what one must be allowed, and shows examples before flags', () => {
  const {'README.md': _, ...commands} = pages;
  for (const [name, text] of Object.entries(commands)) {
    expect(text, name).toMatch(/EXIT CODES\n.*RBAC\n.*\nEXAMPLES\n.*\nUSAGE\n/s);
  }
});

test('explain covers every check with meaning, cause, how to see it, how to fix it', async () => {
  const {stdout} = await win(['explain', '-o', 'json']);
  const {items} = JSON.parse(stdout) as {items: Record<string, string | string[]>[]};
  const listed = await win(['doctor', '--list-checks', '-o', 'name']);
  expect(items.map(({id}) => id)).toEqual(listed.stdout.trim().split('\n'));
  for (const {id, meaning, why, see, fix} of items) {
    expect([id, meaning?.length, why?.length, see?.length, fix?.length].every(Boolean), String(id)).toBe(true);
  }
});

test('explain names the nearest check where one is mistyped', async () => {
  const {code, stderr} = await win(['explain', 'ovs/stale-brige']);
  expect(stderr).toContain('Did you mean "ovs/stale-bridge"?');
  expect(code).toBe(2);
});

test('--help of every command works without a cluster and says kubectl win', async () => {
  const {stdout} = await win(['--help']);
  const names = [...stdout.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map(([, name]) => name ?? '');
  expect(names).toContain('doctor');
  for (const name of names) {
    const help = await win([name, '--help']);
    expect(help.code).toBe(0);
    expect(help.stdout).toContain(`$ kubectl win ${name}`);
  }
});
