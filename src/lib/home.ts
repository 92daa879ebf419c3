import {homedir} from 'node:os';

/** The user's home directory; a user without a name, as in containers, may have none. */
export function homeFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env.HOME) return env.HOME;
  try {
    return homedir();
  } catch {
    return '/';
  }
}
