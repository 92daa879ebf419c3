// The commit of a build, and its time, which is used as the build time.
import {execFileSync} from 'node:child_process';

const git = args => execFileSync('git', args, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']}).trim();

/** Forty digits, with `-dirty` if the tree has changes; undefined outside a clone. */
export function commit() {
  try {
    return git(['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*']);
  } catch {
    return '';
  }
}

/** In seconds. `SOURCE_DATE_EPOCH` takes precedence (https://reproducible-builds.org/docs/source-date-epoch/). */
export function commitTime() {
  return Number(process.env.SOURCE_DATE_EPOCH ?? git(['log', '-1', '--format=%ct']));
}
