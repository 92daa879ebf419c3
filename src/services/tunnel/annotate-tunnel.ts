import {connect, type KubeClient} from '../../kube/client.js';
import {WinError} from '../../lib/errors.js';
import {requireAccess} from '../../session/access.js';
import {type AccessNeed, need} from '../../session/rights.js';
import {pickAdapter} from './adapter-offers.js';
import {annotateNodes} from './annotate-nodes.js';
import type {TunnelPorts} from './annotation-ports.js';
import type {Request} from './annotation-request.js';
import {type AnnotationResult, type TunnelResult, translated} from './annotation-result.js';
import {applySetting} from './apply-setting.js';
import {changeNeeds} from './change-needs.js';
import {type Decision, decide, decideRemoval, type Wanted} from './decide-annotation.js';
import {ifNetworkCanFollow, networkSequence} from './follow-annotation.js';
import {type OtherPlugin, otherPlugins} from './plugin-settings.js';
import {tunnelStatusOf} from './tunnel-status.js';
import {type WantedOptions, wantedNodes} from './wanted-nodes.js';

export interface AnnotateOptions extends WantedOptions {
  readonly request: Request;
  readonly overwrite: boolean;
  readonly dryRun: 'none' | 'client' | 'server';
  /** Also move existing networks, and change the settings of other plugins. */
  readonly apply: boolean;
  /** `--yes`: questions are answered in advance. */
  readonly yes: boolean;
}

/** `kubectl win annotate-tunnel`: inspect nodes, choose, show, ask, write. */
export async function annotateTunnel(
  options: AnnotateOptions,
  ports: TunnelPorts,
  signal: AbortSignal,
): Promise<TunnelResult> {
  const {request, dryRun, apply} = options;
  if (request.what === 'pick' && !ports.person) throw nobodyToPick(request.names[0] ?? '');
  if (apply && dryRun === 'none' && !options.yes && !ports.person) throw nobodyToAgree();
  if (request.what === 'show') {
    const nodes = await wantedNodes(request, options, ports.openProgress, signal);
    return {kind: 'shown', nodes: nodes.map(({subject, failure}) => tunnelStatusOf(subject, failure))};
  }
  const client = connect(options.connection);
  try {
    if (dryRun !== 'client') {
      await requireWriting(client, [need('repair', 'get nodes'), need('repair', 'patch nodes')], signal);
    }
    const wanted = await wantedNodes(request, options, ports.openProgress, signal);
    const others = request.what === 'remove' ? [] : otherPlugins(wanted);
    if (apply && dryRun !== 'client') await requireWriting(client, changeNeeds(others), signal);
    const chosen = await decisionsOf(wanted, options, ports, signal);
    const decisions = apply ? chosen.map(decision => ifNetworkCanFollow(decision, wanted)) : chosen;
    await agree(decisions, wanted, options, ports, signal);
    const written = await annotateNodes(client, decisions, dryRun, ports.reporter, signal);
    const applied = await applyOthers(client, others, written, options, ports, signal);
    return {kind: 'annotated', ...applied, others, dryRun};
  } finally {
    await client.close();
  }
}

async function decisionsOf(
  wanted: readonly Wanted[],
  {request, overwrite}: AnnotateOptions,
  {person}: TunnelPorts,
  signal: AbortSignal,
): Promise<Decision[]> {
  if (request.what === 'remove') return wanted.map(({subject}) => decideRemoval(subject.node.name, subject.object));
  const [only] = wanted;
  if (request.what !== 'pick' || !only || only.failure !== undefined || !person) return decide(wanted, {overwrite});
  return [await pickAdapter(only.subject, {overwrite}, person, signal)];
}

/** Shows all changes before anything is written, and asks if there is a terminal. */
async function agree(
  decisions: readonly Decision[],
  wanted: readonly Wanted[],
  {yes, dryRun, request, apply}: AnnotateOptions,
  {person, reporter}: TunnelPorts,
  signal: AbortSignal,
): Promise<void> {
  reporter.decided(decisions, {picked: request.what === 'pick'});
  const sequence = apply && dryRun === 'none' ? undefined : networkSequence(decisions, wanted);
  if (sequence) reporter.sequence(sequence);
  const count = decisions.filter(({action}) => action === 'write').length;
  if (decisions.length < 2 || count === 0 || yes || !person || dryRun !== 'none') return;
  if (await person.confirm(`Write the annotation of ${count} node${count === 1 ? '' : 's'}?`, signal)) return;
  throw new WinError('nothing was written.', {next: ['To write without asking: --yes']});
}

/** With `--apply`, changes the settings of other plugins; their nodes then count as done. */
async function applyOthers(
  client: KubeClient,
  others: readonly OtherPlugin[],
  results: readonly AnnotationResult[],
  options: AnnotateOptions,
  ports: TunnelPorts,
  signal: AbortSignal,
): Promise<{results: AnnotationResult[]; errors: WinError[]}> {
  const done = new Set<string>();
  const errors: WinError[] = [];
  for (const other of options.apply ? others : []) {
    try {
      await applySetting(client, other, options, ports, signal);
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

async function requireWriting(client: KubeClient, needs: readonly AccessNeed[], signal: AbortSignal): Promise<void> {
  await requireAccess(client, needs, {signal, next: ['To change nothing: --show, or --dry-run=client.']});
}

function nobodyToPick(node: string): WinError {
  return new WinError('No adapter specified, and there is no terminal to choose one.', {
    next: [`Name it: kubectl win annotate-tunnel ${node} ADAPTER`, 'Or pass --cidr, --match or --mac-prefix.'],
  });
}

function nobodyToAgree(): WinError {
  return new WinError('no terminal: pass --yes with --apply.', {
    next: ['Preview it: --apply --dry-run=server'],
  });
}
