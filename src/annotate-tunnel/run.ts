import {requireAccess} from '../cluster/access.js';
import {connect, type KubeClient} from '../cluster/client.js';
import {chooseProgress} from '../doctor/progress.js';
import {ExitCode, WinError} from '../errors.js';
import {printDocument} from '../report/print.js';
import {plain} from '../report/untrusted.js';
import type {Streams} from '../streams.js';
import {carryOut} from './carry-out.js';
import type {Rule} from './choose.js';
import {type Decision, decide, decideRemoval} from './decide.js';
import {type Looked, type LookOptions, look} from './look.js';
import {readNodeList} from './node-list.js';
import {pickAdapter} from './pick.js';
import {renderDecisions, renderResults, renderShown, renderWarnings} from './render.js';
import type {Request} from './request.js';
import {documentOf, exitCodeOf, type Result} from './result.js';
import {show} from './show.js';
import {confirm, type Terminal} from './terminal.js';

export interface AnnotateOptions extends Omit<LookOptions, 'names' | 'selector'> {
  readonly request: Request;
  readonly overwrite: boolean;
  readonly dryRun: 'none' | 'client' | 'server';
  readonly format?: string | undefined;
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
  const {request} = options;
  if (request.what === 'show') return showTunnels(options, streams, signal);
  const client = connect(options.connection);
  try {
    if (options.dryRun !== 'client') await requireWriting(client, signal);
    const decisions = await decisionsOf(request, options, streams, signal);
    await agree(decisions, options, streams, signal);
    const results = await carryOut(client, decisions, options.dryRun, streams, signal);
    tell(results, options, streams);
    return exitCodeOf(results);
  } finally {
    await client.close();
  }
}

async function showTunnels(options: AnnotateOptions, streams: Streams, signal: AbortSignal): Promise<ExitCode> {
  const {subjects, failures} = await lookAt(options, options.request, streams, signal);
  const all = subjects.map(subject => show(subject, failures.get(subject.node.name)));
  const {format} = options;
  streams.out.write(
    isDocument(format)
      ? printDocument({apiVersion: 'kubectl-win/v1', kind: 'TunnelList', items: all}, format)
      : renderShown(all),
  );
  if (all.some(({verdict}) => verdict === 'unknown')) return ExitCode.uninspected;
  return all.some(({verdict}) => verdict === 'disagree') ? ExitCode.problems : ExitCode.ok;
}

/** A request that may lead to writing. */
type Writing = Exclude<Request, {what: 'show'}>;

async function decisionsOf(
  request: Writing,
  options: AnnotateOptions,
  streams: Streams,
  signal: AbortSignal,
): Promise<Decision[]> {
  const {overwrite} = options;
  if (request.what === 'remove') {
    const {subjects} = await lookAt({...options, helper: false}, request, streams, signal);
    return subjects.map(({node, object}) => decideRemoval(node.name, object));
  }
  if (request.what === 'pick') {
    if (!options.terminal) throw nobodyToPick(request.names[0] ?? '');
    const [subject, failure] = onlyOne(await lookAt(options, request, streams, signal));
    if (failure !== undefined) return decide([{subject, rule: {by: 'name', adapter: ''}, failure}], {overwrite});
    return [await pickAdapter(subject, {overwrite, terminal: options.terminal, env: streams.env, signal})];
  }
  const rules = await rulesOf(request);
  const {subjects, failures} = await lookAt(options, {...request, names: rules.names}, streams, signal);
  const wanted = subjects.map(subject => {
    const {name} = subject.node;
    return {subject, rule: rules.of(name), failure: failures.get(name)};
  });
  return decide(wanted, {overwrite});
}

interface Rules {
  readonly names: readonly string[];
  of(node: string): Rule;
}

async function rulesOf(request: Extract<Request, {what: 'set' | 'list'}>): Promise<Rules> {
  if (request.what === 'set') return {names: request.names, of: () => request.rule};
  const entries = new Map((await readNodeList(request.file)).map(({node, adapter}) => [node, adapter]));
  return {names: [...entries.keys()], of: node => ({by: 'name', adapter: entries.get(node) ?? ''})};
}

async function lookAt(
  options: AnnotateOptions,
  {names, selector}: Pick<Request, 'names' | 'selector'>,
  streams: Streams,
  signal: AbortSignal,
): Promise<Looked> {
  const progress = await chooseProgress(streams, {quiet: isDocument(options.format)});
  try {
    return await look({...options, names, selector}, progress, signal);
  } finally {
    progress.end();
  }
}

function onlyOne({subjects, failures}: Looked) {
  const [subject] = subjects;
  if (!subject) throw new WinError('The node was not found.');
  return [subject, failures.get(subject.node.name)] as const;
}

/** Shows everything before anything is written, and asks where somebody is there to say no. */
async function agree(
  decisions: readonly Decision[],
  {format, terminal, yes, dryRun, request}: AnnotateOptions,
  streams: Streams,
  signal: AbortSignal,
): Promise<void> {
  const many = decisions.length > 1;
  if (many && !isDocument(format)) streams.out.write(renderDecisions(decisions));
  if (request.what !== 'pick') streams.err.write(renderWarnings(decisions));
  const count = decisions.filter(({action}) => action === 'write').length;
  if (!many || count === 0 || yes || !terminal || dryRun !== 'none') return;
  if (await confirm(terminal, `Write the annotation of ${count} node${count === 1 ? '' : 's'}?`, signal)) return;
  throw new WinError('nothing was written.', {next: ['--yes writes without asking.']});
}

function tell(results: readonly Result[], {format, dryRun}: AnnotateOptions, streams: Streams): void {
  streams.out.write(
    isDocument(format) ? printDocument(documentOf(results, dryRun), format) : renderResults(results, dryRun),
  );
  for (const {error} of results) {
    if (!error) continue;
    streams.err.write(`error: ${plain(error.message)}\n`);
    for (const line of error.next) streams.err.write(`  ${plain(line)}\n`);
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

const isDocument = (format: string | undefined): format is 'json' | 'yaml' => format === 'json' || format === 'yaml';
