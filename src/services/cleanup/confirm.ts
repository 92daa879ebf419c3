import {createInterface} from 'node:readline/promises';
import {WinError} from '../../lib/errors.js';
import {type Streams, wantsColour, wantsLiveDisplay} from '../../lib/streams.js';
import {cutsNetwork, type RepairPlan} from '../../model/repair-plan.js';
import {renderPlan} from '../../view/text/plan.js';
import type {TextOptions} from '../../view/text/report.js';

export interface Consent {
  /** How the plan is printed. */
  readonly text: TextOptions;
  /** `--yes`: agreed beforehand. */
  readonly yes: boolean;
  /** `--confirm NODE`: the name typed beforehand, which a forced plan takes besides `--yes`. */
  readonly confirm?: string | undefined;
}

/**
 * Shows a plan and asks before it runs. A plan that cuts or is forced takes the node's name; without a terminal it
 * takes flags. What is agreed to stays in the scrollback.
 */
export async function agreed(
  plan: RepairPlan,
  consent: Consent,
  streams: Streams,
  signal: AbortSignal,
): Promise<boolean> {
  const told = consent.yes && (!plan.forced || consent.confirm === plan.node);
  if (!told && process.stdin.isTTY && wantsLiveDisplay(streams)) {
    const {reviewPlan} = await import('../../view/ink/plan-review.js');
    const output = streams.err as NodeJS.WriteStream;
    const yes = await reviewPlan(plan, {
      input: process.stdin,
      output,
      colour: wantsColour(output, streams.env),
      signal,
    });
    if (yes) streams.err.write(`${renderPlan(plan, consent.text)}\n`);
    return yes;
  }
  streams.err.write(`${renderPlan(plan, consent.text)}\n`);
  if (told) return true;
  if (!process.stdin.isTTY || streams.err.isTTY !== true) {
    throw new WinError(
      plan.forced
        ? `the plan for ${plan.node} is forced: without a terminal it takes --yes --confirm ${plan.node}.`
        : `nobody can be asked here: without a terminal a plan takes --yes.`,
      {next: [`Look at it first: kubectl win cleanup ${plan.node} --dry-run=client`]},
    );
  }
  const byName = plan.forced || cutsNetwork(plan);
  const question = byName
    ? `This cuts the network of ${plan.node} or takes it from running pods. Type the node's name to go on: `
    : `Carry this out on ${plan.node}? [y/N] `;
  const answer = await prompt(question, streams, signal);
  return byName ? answer === plan.node : isYes(answer);
}

/** A plain yes or no. Where nobody can be asked it takes `--yes`. */
export async function saysYes(
  question: string,
  {yes, what, next}: {readonly yes: boolean; readonly what: string; readonly next?: readonly string[]},
  streams: Streams,
  signal: AbortSignal,
): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY || streams.err.isTTY !== true)
    throw new WinError(`nobody can be asked here: without a terminal ${what} takes --yes.`, next && {next});
  return isYes(await prompt(`${question} [y/N] `, streams, signal));
}

const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer);

async function prompt(question: string, {err}: Streams, signal: AbortSignal): Promise<string> {
  const reader = createInterface({input: process.stdin, output: err});
  // Ctrl-C at a prompt is Ctrl-C: readline would keep it for itself.
  reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return (await reader.question(question, {signal})).trim();
  } finally {
    reader.close();
  }
}
