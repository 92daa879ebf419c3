import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, expect, it} from 'vitest';
import {withLock} from '../../src/sim/windows/lock.mjs';

const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-lock-'));
afterAll(() => rmSync(folder, {recursive: true, force: true}));

it('a process that we started and that ended with the lock holds nobody up, also before we have taken note of its end', () => {
  const state = join(folder, 'state.json');
  const child = spawn(process.execPath, ['--eval', 'setInterval(() => undefined, 1000)']);
  writeFileSync(`${state}.lock`, String(child.pid));
  child.kill('SIGKILL');
  // Nothing of the event loop runs in between.
  expect(withLock(state, () => 'done')).toBe('done');
});
