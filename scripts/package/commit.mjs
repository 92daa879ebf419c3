// The commit that a build is of, and its time, which stands for the time of the build.
import {execFileSync} from 'node:child_process';

const git = args => execFileSync('git', args, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']}).trim();

/** Forty digits, with `-dirty` where the tree has changes; nothing outside a clone. */
export function commit() {
  try {
    return git(['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*']);
  } catch {
    return '';
  }
}

/** In seconds. `SOURCE_DATE_EPOCH` goes first (https://reproducible-builds.org/docs/source-date-epoch/). */
export function commitTime() {
  return Number(process.env.SOURCE_DATE_EPOCH ?? git(['log', '-1', '--format=%ct']));
}
