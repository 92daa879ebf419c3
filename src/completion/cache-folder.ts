import {rm} from 'node:fs/promises';
import {homedir} from 'node:os';
import {join} from 'node:path';

/** Where what can be made again is kept, for this user alone. Never a folder that others can write to. */
export function cacheFolder(): string {
  const {env} = process;
  if (process.platform === 'win32') return join(env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'kubectl-win');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'kubectl-win');
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kubectl-win');
}

export async function removeCache(): Promise<void> {
  await rm(cacheFolder(), {recursive: true, force: true});
}
