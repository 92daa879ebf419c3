import {allChecks} from '../diagnose/engine.js';
import {WinError} from '../lib/errors.js';
import {nearestNames} from '../lib/nearest-names.js';
import type {Check} from '../model/check.js';
import {allPrerequisites, installablePlugins} from './preflight/installable.js';

export interface ExplainResult {
  readonly checks: readonly Check[];
  /** True: list the checks, because no single check was named. */
  readonly listed: boolean;
}

/** One check, the checks of an area, or all checks of `doctor`. */
export async function explain(name: string | undefined): Promise<ExplainResult> {
  if (name === undefined) return {checks: allChecks, listed: true};
  const checks = await named(name);
  return {checks, listed: !checks.some(({id}) => id === name)};
}

async function named(name: string): Promise<readonly Check[]> {
  // Prerequisites are not checks of doctor: they are found by name, but not listed.
  const all = [...allChecks, ...allPrerequisites(await installablePlugins())];
  const found = all.filter(({id}) => id === name || id.startsWith(`${name}/`));
  if (found.length > 0) return found;
  const ids = all.map(({id}) => id as string);
  const [close] = nearestNames(name, [...ids, ...new Set(ids.map(id => id.split('/')[0] ?? id))]);
  throw new WinError(`unknown check "${name}".`, {
    next: [close ? `Did you mean "${close}"?` : 'List them with: kubectl win explain'],
  });
}
