import {mkdtempSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {readSuppressions, suppress} from '../../src/diagnose/suppress.js';
import {suppressionsIn} from '../../src/diagnose/suppressions.js';
import type {Result} from '../../src/model/result.js';

const failing = (id: string): Result => ({
  id,
  outcome: 'fail',
  severity: 'error',
  title: 'Title',
  message: 'Something is wrong.',
  evidence: [],
  docs: '',
});

function suppressions(text: string) {
  const file = join(mkdtempSync(join(tmpdir(), 'kubectl-win-')), 'config.yaml');
  writeFileSync(file, `apiVersion: kubectl-win/v1\nkind: Config\n${text}`);
  return suppressionsIn(file);
}

test('a finding is suppressed on the nodes of the selector, and keeps its reason', async () => {
  const known = await suppressions('suppress: [{check: net/mtu, nodes: "pool in (a, b)", reason: Jumbo frames.}]');
  const [result] = suppress([failing('net/mtu')], known, {pool: 'a'});
  expect(result).toMatchObject({
    outcome: 'skipped',
    suppressed: 'Jumbo frames.',
    message: 'Suppressed (Jumbo frames.): Something is wrong.',
  });
  expect(suppress([failing('net/mtu')], known, {pool: 'c'})[0]?.outcome).toBe('fail');
  expect(suppress([failing('net/apipa')], known, {pool: 'a'})[0]?.outcome).toBe('fail');
});

test('an area covers its checks, and without a selector also those of the cluster', async () => {
  const known = await suppressions('suppress: [{check: platform, reason: Known.}]');
  expect(suppress([failing('platform/hotfix')], known, undefined)[0]?.outcome).toBe('skipped');
  expect(suppress([failing('platformer/x')], known, undefined)[0]?.outcome).toBe('fail');
});

test('passed checks are not affected', async () => {
  const known = await suppressions('suppress: [{check: net/mtu, reason: Known.}]');
  const passed = {...failing('net/mtu'), outcome: 'pass' as const};
  expect(suppress([passed], known, {})).toEqual([passed]);
});

test.each([
  ['suppress: [{check: net/mtu}]', /reason/],
  ['suppress: [{check: net/mtu, reason: x, nodes: "a b c"}]', /unable to parse requirement/],
  ['supress: []', /supress/],
])('an invalid configuration is rejected with the reason: %s', async (text, message) => {
  await expect(suppressions(text)).rejects.toThrow(message);
});

test('without a configuration nothing is suppressed', async () => {
  expect(await readSuppressions(undefined)).toEqual([]);
});
