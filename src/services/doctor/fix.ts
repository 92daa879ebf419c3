import {type DoctorReport, problems} from '../../diagnose/report.js';
import {ExitCode} from '../../lib/errors.js';
import type {Streams} from '../../lib/streams.js';
import type {InspectOptions} from '../../session/inspection.js';
import {type CleanupOptions, runCleanup} from '../cleanup/run.js';
import type {Looked} from './run.js';

export interface FixOptions extends InspectOptions, Pick<CleanupOptions, 'yes' | 'text'> {
  readonly format?: string | undefined;
}

interface Fixing {
  look(): Promise<Looked>;
  print(output: string): void;
  readonly streams: Streams;
  readonly signal: AbortSignal;
}

/** `doctor --fix`: mends what was found and may be mended, then looks again: that is what counts. Gives the exit code. */
export async function fix(
  first: Looked,
  options: FixOptions,
  {look, print, streams, signal}: Fixing,
): Promise<ExitCode> {
  const fixes = findingsOf(first.report);
  if (fixes.size === 0) {
    print(first.output);
    return first.exitCode;
  }
  // A document stands alone on standard output, and tells how things are at the end.
  const isText = options.format === undefined || options.format === 'text' || options.format === 'wide';
  if (isText) print(`${first.output}\n`);
  const {output, worked, exitCode} = await runCleanup(cleanupOf(options, fixes), streams, signal);
  (isText ? print : (text: string) => streams.err.write(text))(output);
  const last = worked ? await look() : first;
  if (isText && worked) print(`\n${last.output}`);
  if (!isText) print(last.output);
  return exitCode === ExitCode.problems ? exitCode : last.exitCode;
}

function findingsOf({nodes}: DoctorReport): Map<string, Set<string>> {
  return new Map(
    nodes
      .map(({name, results}) => [name, new Set<string>(problems(results).map(({id}) => id))] as const)
      .filter(([, ids]) => ids.size > 0),
  );
}

const cleanupOf = (options: FixOptions, fixes: ReadonlyMap<string, ReadonlySet<string>>): CleanupOptions => ({
  ...options,
  names: [...fixes.keys()],
  selector: undefined,
  format: undefined,
  fixes,
  level: 'auto',
  force: false,
  drain: false,
  maxUnavailable: 1,
  verifyTimeout: 5 * 60_000,
});
