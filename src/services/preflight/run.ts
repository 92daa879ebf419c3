import type {ExitCode} from '../../lib/errors.js';
import type {Streams} from '../../lib/streams.js';
import type {InspectOptions} from '../../session/inspection.js';
import {chooseProgress} from '../../session/progress.js';
import {nodesFromFile} from '../../session/snapshot-file.js';
import {readSnapshot} from '../../snapshot/snapshot.js';
import {renderShort, renderText} from '../../view/text/preflight.js';
import {printDocument} from '../../view/text/print.js';
import type {TextOptions} from '../../view/text/report.js';
import {judgeReadiness, type PreflightInput} from './diagnose.js';
import {installablePlugin, requireMode} from './installable.js';
import {exitCodeOf, type PreflightReport} from './report.js';

export interface PreflightOptions extends InspectOptions {
  readonly plugin: string | undefined;
  readonly mode?: string | undefined;
  readonly from?: string | undefined;
  readonly format?: string | undefined;
  readonly text: TextOptions;
  readonly verbose: boolean;
}

export async function runPreflight(
  options: PreflightOptions,
  streams: Streams,
  signal: AbortSignal,
): Promise<{output: string; exitCode: ExitCode}> {
  const plugin = installablePlugin(options.plugin);
  requireMode(plugin, options.mode);
  const looked =
    options.from === undefined
      ? await fromCluster(options, streams, signal)
      : await nodesFromFile(options.from, options.names);
  const report = judgeReadiness({...looked, plugin, mode: options.mode, now: new Date()});
  return {output: render(report, options), exitCode: exitCodeOf(report)};
}

async function fromCluster(
  options: PreflightOptions,
  streams: Streams,
  signal: AbortSignal,
): Promise<Pick<PreflightInput, 'snapshot' | 'names' | 'failures' | 'context'>> {
  const {inspect} = await import('../../session/inspection.js');
  const progress = await chooseProgress(streams, {quiet: options.format === 'json' || options.format === 'yaml'});
  try {
    const {document, names, failures, context, noise} = await inspect(options, progress, signal);
    if (options.verbose)
      for (const [name, lines] of noise) for (const line of lines) progress.warn(`${name} printed: ${line}`);
    return {snapshot: readSnapshot(document), names, failures, context};
  } finally {
    progress.end();
  }
}

function render(report: PreflightReport, {format, text}: PreflightOptions): string {
  switch (format) {
    case 'json':
    case 'yaml':
      return printDocument(report, format);
    case 'short':
      return renderShort(report, text);
    default:
      return renderText(report, text);
  }
}
