import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, expect, it} from 'vitest';
import {withLock} from '../../src/sim/windows/lock.mjs';

const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-lock-'));
afterAll(() => rmSync(folder, {recursive: true, force: true}));

it('a child process that exited with the lock does not block others, even before it is reaped', () => {
  const state = join(folder, 'state.json');
  const child = spawn(process.execPath, ['--eval', 'setInterval(() => undefined, 1000)']);
  writeFileSync(`${state}.lock`, String(child.pid));
  child.kill('SIGKILL');
  // The event loop does not run in between.
  expect(withLock(state, () => 'done')).toBe('done');
});
