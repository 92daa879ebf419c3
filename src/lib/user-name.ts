import {userInfo} from 'node:os';

/** The local user, named as the author of changes. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container, the user may have no name.
    return 'unknown';
  }
}
