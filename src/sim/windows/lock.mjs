// One at a time at the state file. The lock is a file that only one can make, because Node and PowerShell share no other
// kind; it names the process that holds it, so that one that was killed holds nobody up. state.ps1 keeps to the same.
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

/** It comes to its place as a whole: one without a name, of a process that was killed, would hold everyone up. */
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

/** Only one may diagnose at a time: otherwise a second one would take a lock that a third has acquired since. */
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

/** A child of ours that has ended stays until we take note of it, which we cannot while we wait for its lock. */
function isZombie(pid) {
  if (process.platform === 'win32') return false;
  if (process.platform === 'linux')
    return existsSync(`/proc/${pid}/stat`) && /\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const {stdout} = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], {encoding: 'utf8'});
  return /^Z/.test(stdout ?? '');
}
