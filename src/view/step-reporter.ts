import {styleText} from 'node:util';
import {type Streams, wantsColour, wantsMotion} from '../lib/streams.js';
import {plain} from '../lib/untrusted.js';
import type {JournalEntry} from '../model/plan.js';
import {cutsNetwork} from '../model/repair-plan.js';
import type {ClientStep, PlanStep} from '../model/step.js';
import {describe} from '../repair/steps/all.js';
import type {PlanSteps, StepReporter} from '../services/cleanup/cleanup-ports.js';

/** A live journal if one node is repaired at a time on a terminal, otherwise lines. */
export async function openStepReporter(
  node: string,
  plan: PlanSteps,
  streams: Streams,
  {alone}: {readonly alone: boolean},
): Promise<StepReporter> {
  return alone && wantsMotion(streams) ? liveReporter(node, plan, streams) : lineReporter(node, plan, streams);
}

/** Reports a repair line by line on stderr, for logs. */
function lineReporter(node: string, plan: PlanSteps, streams: Streams): StepReporter {
  const {err} = streams;
  const voice = voiceOf(node, plan, streams, line => err.write(`${line}\n`));
  const {say, paint} = voice;
  return {
    ...tellSteps(voice),
    lost: seconds => {
      if (seconds === 0)
        say(
          paint('yellow', '…'),
          'Connection lost, as expected during the repair. The node continues to run the plan. Waiting for it.',
        );
      else if (seconds % 10 === 0) say(paint('yellow', '…'), `Still waiting for the node (${seconds} s).`);
    },
    found: () => say(paint('green', '✓'), 'The node is back.'),
    note: text => say(paint('yellow', '…'), text),
    looking: () => say('…', 'Verifying the node.'),
    end: () => {},
  };
}

/** The same lines, with the current step below them. */
async function liveReporter(node: string, plan: PlanSteps, streams: Streams): Promise<StepReporter> {
  const {journalDisplay} = await import('./ink/journal-display.js');
  const display = journalDisplay(streams.err as NodeJS.WriteStream, {
    expected: cutsNetwork(plan),
    atMostSeconds: plan.deadMan?.withinSeconds,
  });
  const voice = voiceOf(node, plan, streams, line => display.line(line));
  const {client, waiting, journal} = tellSteps(voice);
  const running = (text: string) =>
    display.show({running: {text: `${node}  ${plain(text)}`, since: performance.now()}});
  const begin = (step: ClientStep | PlanStep | undefined) => {
    if (step) running(`${voice.numberOf(step)} ${describe(step).changes}`);
  };
  return {
    client: (step, phase) => {
      if (phase === 'begin') begin(step);
      client(step, phase);
    },
    waiting,
    journal: entry => {
      if (entry.event === 'step.begin') begin(voice.nodeStep(entry.step));
      if (entry.event === 'deadMan.begin') running(`Dead-man check, within ${entry.withinSeconds} s`);
      if (entry.event === 'undo.begin') running(`Undoing: ${voice.wordsOf(entry)}`);
      journal(entry);
    },
    lost: seconds => display.show({lostSince: performance.now() - seconds * 1000}),
    found: () => {
      display.show({lostSince: undefined});
      voice.say(voice.paint('green', '✓'), 'The node is back.');
    },
    note: text => voice.say(voice.paint('yellow', '…'), text),
    looking: () => running('Verifying the node'),
    end: () => display.end(),
  };
}

interface Voice {
  say(sign: string, text: string): void;
  paint(style: 'green' | 'yellow' | 'red', text: string): string;
  done(step: ClientStep | PlanStep, note?: string): void;
  nodeStep(index: number): PlanStep | undefined;
  numberOf(step: ClientStep | PlanStep): string;
  /** The description of a node step; its name if the plan is not known. */
  wordsOf(entry: {readonly step: number; readonly do: string}): string;
}

function voiceOf(node: string, plan: PlanSteps, {err, env}: Streams, write: (line: string) => void): Voice {
  const colour = wantsColour(err, env);
  const paint: Voice['paint'] = (style, text) => (colour ? styleText(style, text, {validateStream: false}) : text);
  const say: Voice['say'] = (sign, text) => write(`${node}  ${sign} ${plain(text)}`);
  const all: readonly (ClientStep | PlanStep)[] = [...plan.before, ...plan.steps, ...plan.after];
  // A step that undoes another is not part of the plan.
  const numberOf: Voice['numberOf'] = step => (all.includes(step) ? `${all.indexOf(step) + 1}/${all.length}` : '↶');
  return {
    say,
    paint,
    numberOf,
    done: (step, note = '') => say(paint('green', '✓'), `${numberOf(step)} ${describe(step).changes}${note}`),
    nodeStep: index => plan.steps[index],
    wordsOf: ({step: index, do: name}) => {
      const step = plan.steps[index];
      return step ? describe(step).changes : name;
    },
  };
}

function tellSteps(voice: Voice): Pick<StepReporter, 'client' | 'waiting' | 'journal'> {
  const told = new Set<string>();
  return {
    client: (step, phase) => {
      if (phase === 'end') voice.done(step);
    },
    waiting: (step, why) => {
      if (told.has(why)) return;
      told.add(why);
      voice.say(voice.paint('yellow', '…'), `${voice.numberOf(step)} Waiting: ${why}`);
    },
    journal: entry => tellEntry(entry, voice),
  };
}

function tellEntry(entry: JournalEntry, {say, paint, done, nodeStep, wordsOf}: Voice): void {
  switch (entry.event) {
    case 'step.end': {
      const step = nodeStep(entry.step);
      const note = entry.outcome === 'already' ? ' Already done.' : '';
      if (step) done(step, note);
      else say(paint('green', '✓'), `Done: ${wordsOf(entry)}${note}`);
      return;
    }
    case 'step.failed':
      say(paint('red', '✗'), `Failed: ${wordsOf(entry)} ${entry.error.message}`);
      return;
    case 'deadMan.end':
      say(entry.outcome === 'ok' ? paint('green', '✓') : paint('red', '✗'), `Dead-man check: ${entry.message}`);
      return;
    case 'undo.end':
      if (entry.outcome === 'done') say(paint('yellow', '↶'), `Undone: ${wordsOf(entry)}`);
      return;
    case 'undo.failed':
      say(paint('red', '✗'), `Could not be undone: ${wordsOf(entry)} ${entry.error.message}`);
      return;
    case 'guard.begin':
      say(paint('yellow', '↶'), `The guard is restoring the network, attempt ${entry.attempt}: ${entry.message}`);
      return;
    case 'network.restored':
      say(paint('yellow', '↶'), entry.message);
      return;
    default:
      return;
  }
}
