import type {InspectOptions} from '../../session/inspection.js';
import {type OpenProgress, withProgress} from '../../session/progress.js';
import {nodesFromFile} from '../../session/snapshot-file.js';
import {readSnapshot} from '../../snapshot/snapshot.js';
import {diagnoseReadiness, type PreflightInput} from './diagnose-readiness.js';
import {installablePlugin, installablePlugins, requireMode} from './installable.js';
import type {PreflightReport} from './preflight-report.js';

export interface PreflightOptions extends InspectOptions {
  readonly plugin: string | undefined;
  readonly mode?: string | undefined;
  readonly from?: string | undefined;
  readonly verbose: boolean;
}

/** `kubectl win preflight`: whether nodes and cluster are ready for a plugin that is not installed yet. */
export async function preflight(
  options: PreflightOptions,
  open: OpenProgress,
  signal: AbortSignal,
): Promise<PreflightReport> {
  const plugin = installablePlugin(options.plugin, await installablePlugins());
  requireMode(plugin, options.mode);
  const read =
    options.from === undefined
      ? await fromCluster(options, open, signal)
      : await nodesFromFile(options.from, options.names);
  return diagnoseReadiness({...read, plugin, mode: options.mode, now: new Date()});
}

async function fromCluster(
  options: PreflightOptions,
  open: OpenProgress,
  signal: AbortSignal,
): Promise<Pick<PreflightInput, 'snapshot' | 'names' | 'failures' | 'context'>> {
  const {inspect} = await import('../../session/inspection.js');
  return withProgress(open, async progress => {
    const {document, names, failures, context, noise} = await inspect(options, progress, signal);
    if (options.verbose)
      for (const [name, lines] of noise) for (const line of lines) progress.warn(`${name} printed: ${line}`);
    return {snapshot: readSnapshot(document), names, failures, context};
  });
}
