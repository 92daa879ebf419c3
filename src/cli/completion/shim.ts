import {accessSync, chmodSync, constants, existsSync, readFileSync, realpathSync, rmSync, writeFileSync} from 'node:fs';
import {delimiter, dirname, join} from 'node:path';
import {isSea} from 'node:sea';
import {WinError} from '../../lib/errors.js';

const windows = process.platform === 'win32';
/** What kubectl finds on the PATH: the executable, or npm's wrapper. */
const programs = windows ? ['kubectl-win.exe', 'kubectl-win.cmd'] : ['kubectl-win'];
const name = windows ? 'kubectl_complete-win.cmd' : 'kubectl_complete-win';
const text = windows
  ? '@rem Completion of kubectl win: kubectl calls this.\r\n@kubectl-win __complete %*\r\n'
  : '#!/bin/sh\n# Completion of kubectl win: kubectl calls this.\nexec kubectl-win __complete "$@"\n';

/** Writes the program that kubectl calls for completions, and returns its path. */
export function installShim(folder: string | undefined, env: NodeJS.ProcessEnv): string {
  const path = join(folder ?? pluginFolder(env), name);
  if (existsSync(path) && !isOurs(path)) {
    throw new WinError(`${path} already exists and was not created by kubectl win.`, {next: ['Move it away first.']});
  }
  try {
    writeFileSync(path, text);
    chmodSync(path, 0o755);
  } catch (error) {
    throw new WinError(`cannot write ${path}: ${(error as Error).message}.`, {
      next: ['Pass a writable directory on the PATH with --dir.'],
      cause: error,
    });
  }
  return path;
}

/** Removes the program, and returns its path if it existed. */
export function removeShim(folder: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const path = join(folder ?? pluginFolder(env), name);
  if (!existsSync(path) || !isOurs(path)) return undefined;
  rmSync(path);
  return path;
}

const isOurs = (path: string) => readFileSync(path, 'utf8').includes('kubectl-win __complete');

/** The directory on the PATH where kubectl finds the plugin; otherwise the directory of this program. */
function pluginFolder({PATH = ''}: NodeJS.ProcessEnv): string {
  const found = PATH.split(delimiter).find(
    folder => folder !== '' && programs.some(program => isExecutable(join(folder, program))),
  );
  if (found !== undefined) return found;
  const [node = '', script = node] = process.argv;
  return dirname(realpathSync(isSea() ? process.execPath : script));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
