// A lock for the state file that Node and PowerShell share: a file that only one process can create. It contains the ID of
// its process, so a killed process does not block others. state.ps1 uses the same protocol.
import {spawnSync} from 'node:child_process';
import {existsSync, linkSync, readFileSync, rmSync, writeFileSync} from 'node:fs';

/**
 * @template Result
 * @param {string} path
 * @param {() => Result} action
 * @returns {Result}
 */
export function withLock(path, action) {
  const lock = `${path}.lock`;
  for (let tries = 0; !make(lock); tries++) {
    if (tries === 2000) throw new Error(`the state file is locked: ${path}`);
    removeDead(lock);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
  try {
    return action();
  } finally {
    rmSync(lock, {force: true});
  }
}

/** Created atomically with its content: a lock without an ID, left by a killed process, would block everyone. */
function make(file) {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    // Windows refuses with EPERM or EACCES while a file is being deleted.
    if (['EEXIST', 'EPERM', 'EACCES'].includes(error.code)) return false;
    throw error;
  } finally {
    rmSync(own, {force: true});
  }
}

/** Only one process may check at a time. Otherwise a second one could remove a lock that a third has just acquired. */
function removeDead(lock) {
  if (isHeld(lock) || !make(`${lock}.dead`)) return;
  try {
    if (!isHeld(lock)) rmSync(lock, {force: true});
  } finally {
    rmSync(`${lock}.dead`, {force: true});
  }
}

function isHeld(lock) {
  try {
    return isAlive(Number(readFileSync(lock, 'utf8')));
  } catch {
    return true;
  }
}

/** @param {number} pid */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
  return !isZombie(pid);
}

/** A child that has exited stays a zombie until Node reaps it, which it cannot do while it waits for the lock. */
function isZombie(pid) {
  if (process.platform === 'win32') return false;
  if (process.platform === 'linux')
    return existsSync(`/proc/${pid}/stat`) && /\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const {stdout} = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], {encoding: 'utf8'});
  return /^Z/.test(stdout ?? '');
}
