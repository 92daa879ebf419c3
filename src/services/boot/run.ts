import {bootStatusOf, removeBootPlan, setBootPlan} from '../../helper/boot.js';
import {installHelpers} from '../../helper/fleet.js';
import type {HelperChannel} from '../../helper/request.js';
import {nodeName, selectNodes} from '../../kube/nodes.js';
import {ExitCode, WinError} from '../../lib/errors.js';
import {inParallel} from '../../lib/in-parallel.js';
import type {Streams} from '../../lib/streams.js';
import {plain} from '../../lib/untrusted.js';
import type {BootPlan, BootStatus} from '../../model/boot-plan.js';
import {type Inspection, type InspectOptions, withInspection} from '../../session/inspection.js';
import {chooseProgress} from '../../session/progress.js';
import {type NodeStatus, renderForBoots} from '../../view/text/boot.js';
import {printDocument} from '../../view/text/print.js';
import type {TextOptions} from '../../view/text/report.js';
import {saysYes} from '../cleanup/confirm.js';
import {type Done, withSession} from '../cleanup/plans-on-nodes.js';
import {prepareForBoots} from './prepare.js';

export interface OnBootOptions extends InspectOptions {
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly format?: string | undefined;
  readonly text: TextOptions;
}

/** `helper install --cleanup-on-boot`: reads the nodes, shows what each would do at a boot, asks, and stores it there. */
export async function setOnBoot(options: OnBootOptions, streams: Streams, signal: AbortSignal): Promise<Done> {
  const progress = await chooseProgress(streams, {quiet: true});
  try {
    return await withInspection(options, progress, signal, async inspection => {
      const nodes = prepareForBoots(await inspection.read());
      progress.end();
      const plans = nodes.flatMap(one => ('plan' in one ? [one.plan] : []));
      const exitCode = nodes.some(one => 'unread' in one) ? ExitCode.uninspected : ExitCode.ok;
      const structured = options.format === 'json' || options.format === 'yaml' ? options.format : undefined;
      if (options.dryRun && structured) {
        const list = {apiVersion: 'kubectl-win/v1', kind: 'List', items: plans};
        return {output: printDocument(list, structured), exitCode};
      }
      const shown = renderForBoots(nodes, options.text);
      if (options.dryRun) return {output: shown, exitCode};
      streams.err.write(`${shown}\n`);
      if (!(await agreed(plans, options, streams, inspection.signal)))
        return {output: 'Nothing was changed.\n', exitCode: ExitCode.usage};
      await installHelpers(inspection.client, {
        namespace: inspection.run.namespace,
        image: options.helperImage,
        cleanupOnBoot: true,
        signal: inspection.signal,
      });
      const failed = await store(inspection, plans, options.concurrency);
      const done = `The helper is installed on all Windows nodes, from namespace ${inspection.run.namespace}. `;
      const told = `${plans.length - failed.length} of ${nodes.length} nodes mend their network at boot by themselves.\n`;
      return {
        output: done + told + failed.map(({node, error = ''}) => `${node}: ${plain(error)}\n`).join(''),
        exitCode: failed.length > 0 ? ExitCode.uninspected : exitCode,
      };
    });
  } finally {
    progress.end();
  }
}

function agreed(plans: readonly BootPlan[], {yes}: OnBootOptions, streams: Streams, signal: AbortSignal) {
  if (plans.length === 0) return true;
  const question = `Let ${plans.length === 1 ? 'this node' : `these ${plans.length} nodes`} do that at every boot?`;
  const next = ['Look at it first: kubectl win helper install --cleanup-on-boot --dry-run=client'];
  return saysYes(question, {yes, what: '--cleanup-on-boot', next}, streams, signal);
}

async function store(
  inspection: Inspection,
  plans: readonly BootPlan[],
  concurrency: number,
): Promise<readonly NodeStatus[]> {
  const byNode = new Map(plans.map(plan => [plan.node, plan]));
  const asked = await onNodes(inspection, [...byNode.keys()], concurrency, channel => {
    const plan = byNode.get(channel.node);
    return plan ? setBootPlan(channel, plan, inspection.signal) : bootStatusOf(channel, inspection.signal);
  });
  return asked.filter(({error}) => error !== undefined);
}

type Ask = (channel: HelperChannel, signal: AbortSignal) => Promise<BootStatus>;
type OnNodes = (options: InspectOptions, streams: Streams, signal: AbortSignal) => Promise<readonly NodeStatus[]>;

/** What the nodes say of their tasks for boots. */
export const readOnBoot: OnNodes = (...where) => withNodes(bootStatusOf, ...where);

/** Takes the tasks for boots off all nodes that can be reached, and says of each how it went. */
export const removeOnBoot: OnNodes = (...where) => withNodes(removeBootPlan, ...where);

async function withNodes(
  ask: Ask,
  options: InspectOptions,
  streams: Streams,
  signal: AbortSignal,
): Promise<readonly NodeStatus[]> {
  const progress = await chooseProgress(streams, {quiet: true});
  try {
    return await withInspection(options, progress, signal, async inspection => {
      const nodes = await selectNodes(inspection.client, options, {signal: inspection.signal});
      return onNodes(inspection, nodes.map(nodeName), options.concurrency, channel => ask(channel, inspection.signal));
    });
  } finally {
    progress.end();
  }
}

/** Asks each node through its helper. What one node cannot do must not keep the others from it. */
function onNodes(
  inspection: Inspection,
  names: readonly string[],
  concurrency: number,
  ask: (channel: HelperChannel) => Promise<BootStatus>,
): Promise<NodeStatus[]> {
  return inParallel(names, concurrency, async node => {
    try {
      return {node, status: await withSession(inspection, node, ask)};
    } catch (error) {
      inspection.signal.throwIfAborted();
      if (!(error instanceof WinError)) throw error;
      return {node, error: [error.message, ...error.next].join(' ')};
    }
  });
}
