import {spawn} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {scriptIn} from '../../helper/shell-command.js';
import type {ExecSession} from '../api/exec.js';
import type {WindowsMachine} from './machine.js';
import {untilEnd} from './until-end.js';

let shells = 0;

/** Runs a `kubectl win shell` command under a real PowerShell, in a terminal if the client has one. */
export async function runShell(
  machine: WindowsMachine,
  command: readonly string[],
  session: ExecSession,
): Promise<number> {
  const {whole, interactive} = scriptIn(command);
  const {terminal} = session;
  const nameFile = terminal && join(machine.folder, `terminal-${++shells}`);
  const child = machine.startShell(whole, {interactive, terminal: nameFile});
  if (terminal && nameFile) {
    const follow = () => setSize(nameFile, terminal.size);
    terminal.onResize = follow;
    // The terminal exists shortly after its process starts.
    const waiting = setInterval(() => {
      if (follow()) clearInterval(waiting);
    }, 50).unref();
    child.on('close', () => clearInterval(waiting));
  }
  return untilEnd(child, session, ({pid}) => {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  });
}

function setSize(nameFile: string, {columns, rows}: {columns: number; rows: number}): boolean {
  const name = existsSync(nameFile) ? readFileSync(nameFile, 'utf8').trim() : '';
  if (!name.startsWith('/dev/')) return false;
  spawn('stty', ['-F', name, 'cols', String(columns), 'rows', String(rows)], {stdio: 'ignore'}).on('error', () => {});
  return true;
}
