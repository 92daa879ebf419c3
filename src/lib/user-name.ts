import {userInfo} from 'node:os';

/** Who runs this, to be named as the maker of something. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user that has no name.
    return 'unknown';
  }
}
