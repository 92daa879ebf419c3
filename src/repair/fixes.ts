import type {NodeSubject} from '../checks/check.js';
import type {Result} from '../checks/engine.js';
import {mendables} from './findings.js';
import {jobOf} from './job.js';
import type {Level} from './level.js';

/** A problem that `doctor --fix` may offer to mend. */
export interface Fix {
  readonly result: Result;
  readonly level: Exclude<Level, 'hard'>;
  /** Whether the agent may make the network anew: a blip, so it is asked for by name. */
  readonly blip: boolean;
}

/** The problems that a soft or medium plan mends without cutting the node off. */
export function fixesFor(results: readonly Result[], subject: NodeSubject): Fix[] {
  const job = jobOf(subject, results, {level: 'soft', force: false, drain: false, mended: []});
  return mendables(results, job).flatMap(({result, mend}) =>
    mend.level !== 'hard' && (mend.remedy === 'A' || mend.remedy === 'A~')
      ? [{result, level: mend.level, blip: mend.remedy === 'A~'}]
      : [],
  );
}
