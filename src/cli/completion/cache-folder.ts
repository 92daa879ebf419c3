import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import {homeFolder} from '../../lib/home.js';

/** The cache directory of this user. Never a directory that others can write to. */
export function cacheFolder(): string {
  const {env} = process;
  if (process.platform === 'win32')
    return join(env.LOCALAPPDATA ?? join(homeFolder(), 'AppData', 'Local'), 'kubectl-win');
  if (process.platform === 'darwin') return join(homeFolder(), 'Library', 'Caches', 'kubectl-win');
  return join(env.XDG_CACHE_HOME || join(homeFolder(), '.cache'), 'kubectl-win');
}

export async function removeCache(): Promise<void> {
  await rm(cacheFolder(), {recursive: true, force: true});
}
