import {WinError} from '../lib/errors.js';
import type {Streams} from '../lib/streams.js';
import {cutsNetwork, type RepairPlan} from '../model/repair-plan.js';
import type {AskYes, Consent} from '../services/cleanup/cleanup-ports.js';
import {canAsk, confirm, interactiveTerminal, prompt} from './interactive-terminal.js';
import {renderPlan} from './text/plan.js';
import type {TextOptions} from './view.js';

/**
 * Shows a plan and asks before it runs. A plan that interrupts the network or is forced requires the node's name; without
 * a terminal it requires flags. An approved plan stays in the scrollback.
 */
export async function agreeTo(
  plan: RepairPlan,
  consent: Consent,
  {streams, text}: {readonly streams: Streams; readonly text: TextOptions},
  signal: AbortSignal,
): Promise<boolean> {
  const told = consent.yes && (!plan.forced || consent.confirm === plan.node);
  const person = interactiveTerminal(streams);
  if (!told && person) {
    const {reviewPlan} = await import('./ink/plan-review.js');
    const yes = await reviewPlan(plan, {...person, signal});
    if (yes) streams.err.write(`${renderPlan(plan, text)}\n`);
    return yes;
  }
  streams.err.write(`${renderPlan(plan, text)}\n`);
  if (told) return true;
  if (!canAsk(streams)) {
    throw new WinError(
      plan.forced
        ? `the plan for ${plan.node} is forced: without a terminal pass --yes --confirm ${plan.node}.`
        : `no terminal: pass --yes.`,
      {next: [`Review it first: kubectl win cleanup ${plan.node} --dry-run=client`]},
    );
  }
  if (!plan.forced && !cutsNetwork(plan)) return confirm(`Run this plan on ${plan.node}?`, streams, signal);
  const question = `This plan interrupts the network of ${plan.node} or of its running pods. Type the node name to continue: `;
  return (await prompt(question, streams, signal)) === plan.node;
}

/** A plain yes or no. Without a terminal it requires `--yes`. */
export const askYesOf =
  (streams: Streams): AskYes =>
  async ({text, yes, what, next}, signal) => {
    if (yes) return true;
    if (!canAsk(streams)) throw new WinError(`no terminal: ${what} requires --yes.`, next && {next});
    return confirm(text, streams, signal);
  };
