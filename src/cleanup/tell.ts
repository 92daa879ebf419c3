import {styleText} from 'node:util';
import {describe} from '../repair/describe.js';
import type {JournalEntry, PlanStep} from '../repair/plan.js';
import type {ClientStep, RepairPlan} from '../repair/repair-plan.js';
import {plain} from '../report/untrusted.js';
import {type Streams, wantsColour} from '../streams.js';
import type {Teller} from './apply.js';

/** Tells a repair line by line on standard error, as a log keeps it. */
export function lineTeller(
  node: string,
  plan: Pick<RepairPlan, 'before' | 'steps' | 'after'>,
  {err, env}: Streams,
): Teller {
  const colour = wantsColour(err, env);
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    colour ? styleText(style, text, {validateStream: false}) : text;
  const say = (sign: string, text: string) => err.write(`${node}  ${sign} ${plain(text)}\n`);
  const total = plan.before.length + plan.steps.length + plan.after.length;
  const all: readonly (ClientStep | PlanStep)[] = [...plan.before, ...plan.steps, ...plan.after];
  const done = (step: ClientStep | PlanStep, note = '') => {
    const number = all.indexOf(step) + 1;
    say(paint('green', '✓'), `${number}/${total} ${describe(step).changes}${note}`);
  };
  const nodeStep = (index: number) => plan.steps[index];
  return {
    client: (step, phase) => {
      if (phase === 'end') done(step);
    },
    journal: entry => tellEntry(entry, {say, paint, done, nodeStep}),
    lost: seconds => {
      if (seconds === 0)
        say(
          paint('yellow', '…'),
          'Connection lost, as expected while the network is worked on; the node goes on by itself. Waiting for it.',
        );
      else if (seconds % 10 === 0) say(paint('yellow', '…'), `Still waiting for the node (${seconds} s).`);
    },
    found: () => say(paint('green', '✓'), 'The node is back.'),
  };
}

interface Voice {
  say(sign: string, text: string): void;
  paint(style: 'green' | 'yellow' | 'red', text: string): string;
  done(step: PlanStep, note?: string): void;
  nodeStep(index: number): PlanStep | undefined;
}

function tellEntry(entry: JournalEntry, {say, paint, done, nodeStep}: Voice): void {
  switch (entry.event) {
    case 'step.end': {
      const step = nodeStep(entry.step);
      if (step) done(step, entry.outcome === 'already' ? ' It was so already.' : '');
      return;
    }
    case 'step.failed':
      return say(paint('red', '✗'), `${entry.do} failed: ${entry.error.message}`);
    case 'deadMan.end':
      return say(entry.outcome === 'ok' ? paint('green', '✓') : paint('red', '✗'), `Dead-man check: ${entry.message}`);
    case 'undo.end':
      if (entry.outcome === 'done') say(paint('yellow', '↶'), `${entry.do} undone.`);
      return;
    case 'undo.failed':
      return say(paint('red', '✗'), `${entry.do} could not be undone: ${entry.error.message}`);
    case 'network.restored':
      return say(paint('yellow', '↶'), entry.message);
    default:
      return;
  }
}
