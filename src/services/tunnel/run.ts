import {connect, type KubeClient} from '../../kube/client.js';
import {ExitCode, WinError} from '../../lib/errors.js';
import type {Streams} from '../../lib/streams.js';
import {plain} from '../../lib/untrusted.js';
import {requireAccess} from '../../session/access.js';
import {printDocument} from '../../view/text/print.js';
import type {TextOptions} from '../../view/text/report.js';
import {renderDecisions, renderResults, renderShown, renderWarnings} from '../../view/text/tunnel.js';
import {applySetting} from './apply-setting.js';
import {carryOut} from './carry-out.js';
import {type Decision, decide, decideRemoval, type Wanted} from './decide.js';
import {type GatherOptions, gather} from './gather.js';
import {type OtherPlugin, otherPlugins, renderOther} from './others.js';
import {pickAdapter} from './pick.js';
import type {Request} from './request.js';
import {follow, ifItCanFollow, renderSequence} from './restart-agents.js';
import {documentOf, exitCodeOf, type Result, translated} from './result.js';
import {show} from './show.js';
import {confirm, type Terminal} from './terminal.js';

export interface AnnotateOptions extends GatherOptions {
  readonly request: Request;
  readonly overwrite: boolean;
  readonly dryRun: 'none' | 'client' | 'server';
  /** Let networks that are there follow, and change the settings of other plugins. */
  readonly apply: boolean;
  readonly format?: string | undefined;
  readonly text: TextOptions;
  /** Whether a question counts as answered with yes. */
  readonly yes: boolean;
  /** Undefined where nobody is there to answer. */
  readonly terminal?: Terminal | undefined;
}

export async function annotateTunnel(
  options: AnnotateOptions,
  streams: Streams,
  signal: AbortSignal,
): Promise<ExitCode> {
  const {request, dryRun} = options;
  const quiet = isDocument(options.format);
  if (request.what === 'pick' && !options.terminal) throw nobodyToPick(request.names[0] ?? '');
  if (options.apply && dryRun === 'none' && !options.yes && !options.terminal) throw nobodyToAgree();
  if (request.what === 'show')
    return showAll(await gather(request, {...options, quiet}, streams, signal), options, streams);
  const client = connect(options.connection);
  try {
    if (dryRun !== 'client') await requireWriting(client, signal);
    const wanted = await gather(request, {...options, quiet}, streams, signal);
    const chosen = await decisionsOf(wanted, options, streams, signal);
    const decisions = options.apply ? chosen.map(decision => ifItCanFollow(decision, wanted)) : chosen;
    await agree(decisions, wanted, options, streams, signal);
    const written = await carryOut(client, decisions, dryRun, streams, signal);
    const others = request.what === 'remove' ? [] : otherPlugins(wanted);
    const {results, errors} = await applyOthers(client, others, written, options, streams, signal);
    tell(results, errors, others, options, streams);
    const code = exitCodeOf(errors);
    if (!options.apply || dryRun !== 'none') return code;
    return (await follow(results, {...options, dryRun: undefined, format: undefined}, streams, signal)) || code;
  } finally {
    await client.close();
  }
}

function showAll(wanted: readonly Wanted[], {format}: AnnotateOptions, streams: Streams): ExitCode {
  const all = wanted.map(({subject, failure}) => show(subject, failure));
  streams.out.write(
    isDocument(format)
      ? printDocument({apiVersion: 'kubectl-win/v1', kind: 'TunnelList', items: all}, format)
      : renderShown(all),
  );
  if (all.some(({verdict}) => verdict === 'unknown')) return ExitCode.uninspected;
  return all.some(({verdict}) => verdict === 'disagree') ? ExitCode.problems : ExitCode.ok;
}

async function decisionsOf(
  wanted: readonly Wanted[],
  {request, overwrite, terminal}: AnnotateOptions,
  {env}: Streams,
  signal: AbortSignal,
): Promise<Decision[]> {
  if (request.what === 'remove') return wanted.map(({subject}) => decideRemoval(subject.node.name, subject.object));
  const [only] = wanted;
  if (request.what !== 'pick' || !only || only.failure !== undefined || !terminal) return decide(wanted, {overwrite});
  return [await pickAdapter(only.subject, {overwrite, terminal, env, signal})];
}

/** Shows everything before anything is written, and asks where somebody is there to say no. */
async function agree(
  decisions: readonly Decision[],
  wanted: readonly Wanted[],
  {format, terminal, yes, dryRun, request, apply}: AnnotateOptions,
  streams: Streams,
  signal: AbortSignal,
): Promise<void> {
  const many = decisions.length > 1;
  if (many && !isDocument(format)) streams.out.write(renderDecisions(decisions));
  if (request.what !== 'pick') streams.err.write(renderWarnings(decisions));
  if (!apply || dryRun !== 'none') streams.err.write(renderSequence(decisions, wanted));
  const count = decisions.filter(({action}) => action === 'write').length;
  if (!many || count === 0 || yes || !terminal || dryRun !== 'none') return;
  if (await confirm(terminal, `Write the annotation of ${count} node${count === 1 ? '' : 's'}?`, signal)) return;
  throw new WinError('nothing was written.', {next: ['--yes writes without asking.']});
}

/** Changes the settings of other plugins where that is asked for: their nodes count as done then. */
async function applyOthers(
  client: KubeClient,
  others: readonly OtherPlugin[],
  results: readonly Result[],
  options: AnnotateOptions,
  streams: Streams,
  signal: AbortSignal,
): Promise<Outcome> {
  const done = new Set<string>();
  const errors: WinError[] = [];
  for (const other of options.apply ? others : []) {
    try {
      await applySetting(client, other, options, streams, signal);
      for (const node of other.nodes) done.add(node);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof WinError)) throw error;
      errors.push(error);
    }
  }
  const all = results.map(result => (done.has(result.decision.node) ? translated(result.decision) : result));
  return {results: all, errors: [...all.flatMap(({error}) => error ?? []), ...errors]};
}

interface Outcome {
  readonly results: readonly Result[];
  readonly errors: readonly WinError[];
}

function tell(
  results: readonly Result[],
  errors: readonly WinError[],
  others: readonly OtherPlugin[],
  {format, dryRun}: AnnotateOptions,
  streams: Streams,
): void {
  streams.out.write(
    isDocument(format) ? printDocument(documentOf(results, others, dryRun), format) : renderResults(results, dryRun),
  );
  for (const {message, next} of errors) {
    streams.err.write(`error: ${plain(message)}\n`);
    for (const line of next) streams.err.write(`  ${plain(line)}\n`);
  }
  if (isDocument(format)) return;
  const changed = new Set(results.filter(({outcome}) => outcome === 'translated').map(({decision}) => decision.node));
  for (const other of others) {
    const lines = other.nodes.some(node => changed.has(node)) ? other.translation.notes : renderOther(other);
    for (const line of lines) streams.err.write(`${plain(line)}\n`);
  }
}

async function requireWriting(client: KubeClient, signal: AbortSignal): Promise<void> {
  await requireAccess(
    client,
    [{verb: 'patch', resource: 'nodes'}],
    [
      "Ask an administrator for the role kubectl-win-repair of kubectl win's manifests/rbac.yaml.",
      'Or look only: --show, or --dry-run=client.',
    ],
    {signal},
  );
}

function nobodyToPick(node: string): WinError {
  return new WinError('No adapter is named, and there is no terminal to pick one in.', {
    next: [`Name it: kubectl win annotate-tunnel ${node} ADAPTER`, 'Or give --cidr, --match or --mac-prefix.'],
  });
}

function nobodyToAgree(): WinError {
  return new WinError('nobody can be asked here: without a terminal --apply takes --yes.', {
    next: ['See first what it would do: --apply --dry-run=server'],
  });
}

const isDocument = (format: string | undefined): format is 'json' | 'yaml' => format === 'json' || format === 'yaml';
