import {bootStatusOf, removeBootPlan, setBootPlan} from '../../helper/boot-requests.js';
import {installHelpers} from '../../helper/fleet.js';
import {fixedImage} from '../../helper/image.js';
import type {HelperChannel} from '../../helper/request.js';
import {nameOfNode, selectNodes} from '../../kube/select-nodes.js';
import {ExitCode, WinError} from '../../lib/errors.js';
import {inParallel} from '../../lib/in-parallel.js';
import type {BootPlan, BootStatus} from '../../model/boot-plan.js';
import type {Requester} from '../../model/plan.js';
import {type Inspection, type InspectOptions, withInspection} from '../../session/inspection.js';
import {phaseLimits} from '../../session/phases.js';
import {type OpenProgress, withProgress} from '../../session/progress.js';
import {authorOf} from '../cleanup/audit.js';
import type {AskYes} from '../cleanup/cleanup-ports.js';
import {withHelperOn} from '../cleanup/node-connection.js';
import {type NodeAtBoot, prepareForBoots} from './prepare-boot-plans.js';

export interface OnBootOptions extends InspectOptions {
  readonly dryRun: boolean;
  readonly yes: boolean;
}

/** What setting up boot tasks needs of the user interface. */
export interface BootPorts {
  readonly openProgress: OpenProgress;
  readonly askYes: AskYes;
  /** Shows the steps of each node, before asking. */
  showPlans(nodes: readonly NodeAtBoot[]): void;
}

/** The state of a node's boot task. */
export interface NodeBootStatus {
  readonly node: string;
  readonly status?: BootStatus | undefined;
  /** Why the node could not be inspected. */
  readonly error?: string | undefined;
}

export type OnBootResult =
  | {readonly kind: 'planned'; readonly nodes: readonly NodeAtBoot[]}
  | {readonly kind: 'declined'}
  | {
      readonly kind: 'stored';
      readonly namespace: string;
      readonly nodes: readonly NodeAtBoot[];
      readonly stored: number;
      readonly failed: readonly NodeBootStatus[];
    };

/** `helper install --cleanup-on-boot`: reads the nodes, shows the boot plan of each, asks, and stores it on the node. */
export function setBootTasks(options: OnBootOptions, ports: BootPorts, signal: AbortSignal): Promise<OnBootResult> {
  const image = fixedImage(options.helperImage);
  return withProgress(ports.openProgress, progress =>
    withInspection(options, progress, signal, async (inspection): Promise<OnBootResult> => {
      const nodes = prepareForBoots(await inspection.read());
      progress.end();
      if (options.dryRun) return {kind: 'planned', nodes};
      ports.showPlans(nodes);
      const plans = plansOf(nodes);
      if (!(await agreed(plans, options, ports.askYes, inspection.signal))) return {kind: 'declined'};
      const {namespace} = inspection.run;
      await installHelpers(inspection.client, {
        namespace,
        image,
        cleanupOnBoot: true,
        signal: inspection.signal,
      });
      const failed = await store(inspection, plans, options.concurrency);
      return {kind: 'stored', namespace, nodes, stored: plans.length - failed.length, failed};
    }),
  );
}

export const plansOf = (nodes: readonly NodeAtBoot[]): BootPlan[] =>
  nodes.flatMap(one => ('plan' in one ? [one.plan] : []));

export function onBootExitCode(result: OnBootResult): ExitCode {
  if (result.kind === 'declined') return ExitCode.usage;
  const failed = result.kind === 'stored' && result.failed.length > 0;
  return failed || result.nodes.some(one => 'unread' in one) ? ExitCode.uninspected : ExitCode.ok;
}

function agreed(plans: readonly BootPlan[], {yes}: OnBootOptions, askYes: AskYes, signal: AbortSignal) {
  if (plans.length === 0) return true;
  const text = `Run these steps on ${plans.length === 1 ? 'this node' : `these ${plans.length} nodes`} at every boot?`;
  const next = ['Review it first: kubectl win helper install --cleanup-on-boot --dry-run=client'];
  return askYes({text, yes, what: '--cleanup-on-boot', next}, signal);
}

async function store(
  inspection: Inspection,
  plans: readonly BootPlan[],
  concurrency: number | undefined,
): Promise<readonly NodeBootStatus[]> {
  const byNode = new Map(plans.map(plan => [plan.node, plan]));
  const requester = await requesterOf(inspection);
  const asked = await onNodes(inspection, [...byNode.keys()], concurrency, channel => {
    const plan = byNode.get(channel.node);
    return plan ? setBootPlan(channel, plan, requester, inspection.signal) : bootStatusOf(channel, inspection.signal);
  });
  return asked.filter(({error}) => error !== undefined);
}

/** Called once for all nodes. Returns the request to send to each. */
type Asker = (inspection: Inspection) => Promise<(channel: HelperChannel) => Promise<BootStatus>>;
type OnNodes = (options: InspectOptions, open: OpenProgress, signal: AbortSignal) => Promise<readonly NodeBootStatus[]>;

/** The state of the boot task on each node. */
export const readBootTasks: OnNodes = (...where) =>
  withNodes(
    async ({signal}) =>
      channel =>
        bootStatusOf(channel, signal),
    ...where,
  );

/** Removes the boot tasks from all reachable nodes, and reports the outcome for each node. */
export const removeBootTasks: OnNodes = (...where) =>
  withNodes(
    async inspection => {
      const requester = await requesterOf(inspection);
      return channel => removeBootPlan(channel, requester, inspection.signal);
    },
    ...where,
  );

async function requesterOf({client, signal}: Inspection): Promise<Requester> {
  const {by, context} = await authorOf(client, {signal});
  return {user: by, context};
}

function withNodes(
  asker: Asker,
  options: InspectOptions,
  open: OpenProgress,
  signal: AbortSignal,
): Promise<readonly NodeBootStatus[]> {
  return withProgress(open, progress =>
    withInspection(options, progress, signal, async inspection => {
      const nodes = await selectNodes(inspection.client, options, {signal: inspection.signal});
      return onNodes(inspection, nodes.map(nameOfNode), options.concurrency, await asker(inspection));
    }),
  );
}

/** Sends a request to the helper of each node. A failure on one node does not stop the others. */
function onNodes(
  inspection: Inspection,
  names: readonly string[],
  concurrency: number | undefined,
  ask: (channel: HelperChannel) => Promise<BootStatus>,
): Promise<NodeBootStatus[]> {
  return inParallel(names, phaseLimits(names.length, concurrency).reading, async node => {
    try {
      return {node, status: await withHelperOn(inspection, node, ask)};
    } catch (error) {
      inspection.signal.throwIfAborted();
      if (!(error instanceof WinError)) throw error;
      return {node, error: [error.message, ...error.next].join(' ')};
    }
  });
}
