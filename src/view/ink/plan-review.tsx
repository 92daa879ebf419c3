import {Box, Text, useInput, useWindowSize} from 'ink';
import {useRef, useState} from 'react';
import {ExitCode, WinError} from '../../lib/errors.js';
import {plain, valueText} from '../../lib/untrusted.js';
import {stringWidth} from '../../lib/width.js';
import {cutsNetwork, type RepairPlan} from '../../model/repair-plan.js';
import type {ClientStep, PlanStep} from '../../model/step.js';
import {type Description, describe} from '../../repair/steps/all.js';
import {warningsOf} from '../text/plan.js';
import {wrap} from '../text/wrap.js';
import {visible} from './picker-state.js';
import {type Asking, question} from './question.js';
import {initialReview, pressReview, type ReviewState} from './review-state.js';
import {spoken, spokenPlace} from './screen-reader-text.js';
import {useSuspension} from './suspend.js';
import {Toned} from './toned.js';

/** Lets the user review a plan step by step and approve it. Clears the screen afterwards. */
export async function reviewPlan(plan: RepairPlan, asking: Asking): Promise<boolean> {
  const {end} = await question<ReviewState>(asking, onEnd => <PlanReview plan={plan} onEnd={onEnd} />);
  if (end === 'interrupted') throw new WinError('interrupted: nothing was changed.', {exit: ExitCode.interrupted});
  return end === 'agreed';
}

interface Step extends Description {
  readonly number: number;
  readonly where: 'client' | 'node';
  readonly step: PlanStep | ClientStep;
}

export function PlanReview({plan, onEnd}: {plan: RepairPlan; onEnd: (state: ReviewState) => void}) {
  const {rows, columns} = useWindowSize();
  const [shown, setShown] = useState(initialReview);
  // Keys can arrive faster than frames: each applies to the latest state, not to the last frame.
  const state = useRef(shown);
  const terms = {steps: stepsOf(plan).length, name: asksForName(plan) ? plan.node : undefined};
  const suspends = useSuspension();
  useInput((input, key) => {
    if (suspends(input, key)) return;
    state.current = pressReview(state.current, input, key, terms);
    setShown(state.current);
    if (state.current.end) onEnd(state.current);
  });
  return <ReviewView plan={plan} state={shown} rows={rows} columns={columns} />;
}

/** Title, level, blank lines, range of the list, question, keys, and one free line. */
const otherLines = 8;
const fewestSteps = 4;
/** Columns of a step's line before its description. */
const beforeChanges = 19;

interface ReviewViewProps {
  readonly plan: RepairPlan;
  readonly state: ReviewState;
  readonly rows: number;
  readonly columns: number;
}

function ReviewView({plan, state, rows, columns}: ReviewViewProps) {
  const width = Math.min(columns, 140);
  const steps = stepsOf(plan);
  const selected = steps[state.at];
  const details = selected ? detailsOf(selected, width, state.open) : [];
  const room = rows - otherLines - details.length;
  const warnings = state.open ? [] : warningLines(plan, width, room);
  const {from, to} = visible(state.at, steps.length, state.open ? 1 : Math.max(1, room - warnings.length));
  return (
    <Box flexDirection="column">
      <Text bold wrap="truncate">
        {plain(plan.title)}
      </Text>
      <Text dimColor wrap="truncate">
        {plain(`Level ${plan.level}${plan.repairs.length > 0 ? `, for ${plan.repairs.join(', ')}` : ''}.`)}
      </Text>
      <Text> </Text>
      {steps.slice(from, to).map(step => (
        <StepLine key={step.number} step={step} selected={step === selected} count={steps.length} />
      ))}
      <Text dimColor aria-hidden>
        {to - from < steps.length ? `  ${rangeText(from, to)} of ${steps.length} steps` : ' '}
      </Text>
      {details.map(line => (
        <Text key={line} wrap="truncate" aria-label={spoken(line)}>
          {line}
        </Text>
      ))}
      <Text> </Text>
      {warnings.map(line => (
        <Text key={line} wrap="truncate" aria-label={spoken(line)}>
          <Toned tone="warning">{line}</Toned>
        </Text>
      ))}
      <Question plan={plan} state={state} />
    </Box>
  );
}

function rangeText(from: number, to: number): string {
  return to - from === 1 ? `${to}` : `${from + 1}-${to}`;
}

/** If there is little room, each warning gets one line, so that the steps stay visible. */
function warningLines(plan: RepairPlan, width: number, room: number): string[] {
  const texts = warningsOf(plan).map(text => `! ${plain(text)}`);
  const whole = texts.flatMap(text => wrap(text, {indent: 0, hang: 2, width}));
  return whole.length <= room - fewestSteps ? whole : texts.slice(0, Math.max(1, room - fewestSteps));
}

/** Steps that interrupt the network are marked with a word, not by colour alone. */
function StepLine({step, selected, count}: {step: Step; selected: boolean; count: number}) {
  const number = String(step.number).padStart(String(count).length);
  const told = [`on the ${step.where}`, step.step.cuts ? 'interrupts the network' : '', plain(step.changes)];
  return (
    <Text
      wrap="truncate"
      bold={selected}
      aria-hidden={!selected}
      aria-label={spokenPlace('Step', step.number - 1, count, told)}
    >
      {`${selected ? '›' : ' '} ${number}  ${step.where.padEnd(6)}  `}
      {step.step.cuts ? <Toned tone="error">CUTS </Toned> : '     '}
      {plain(step.changes)}
    </Text>
  );
}

function Question({plan, state}: {plan: RepairPlan; state: ReviewState}) {
  const look = state.open ? 'Enter back' : 'Enter details';
  if (!asksForName(plan))
    return (
      <Box flexDirection="column">
        <Text bold>{`Run this plan on ${plain(plan.node)}?`}</Text>
        <Text dimColor>{`y run   ↑ ↓ step   ${look}   q quit`}</Text>
      </Box>
    );
  return (
    <Box flexDirection="column">
      <Text>
        <Text bold>{`To run this plan, type the node's name (${plain(plan.node)}): `}</Text>
        {plain(state.typed)}
        <Text inverse> </Text>
      </Text>
      <Text
        dimColor
      >{`${state.wrong ? "That is not the node's name.   " : ''}${state.typed === '' ? look : 'Enter run'}   ↑ ↓ step   Esc quit`}</Text>
    </Box>
  );
}

function detailsOf(told: Step, width: number, open: boolean): string[] {
  const {step, changes, requires, verifies, undo = 'none'} = told;
  const line = (label: string, text: string) =>
    wrap(`${label.padEnd(8)}${plain(text)}`, {indent: 4, hang: 12, width: Math.max(40, width)});
  // Text that is truncated in the list is shown here in full.
  const whole = stringWidth(plain(changes)) + beforeChanges > width ? line('does', changes) : [];
  if (!open) return [...whole, ...line('undo', undo)];
  const parameters = Object.entries(step.with).map(([name, value]) => `${name}=${valueText(value)}`);
  return [
    ...whole,
    ...(step.why === undefined ? [] : line('why', step.why)),
    ...line('before', requires),
    ...line('after', verifies),
    ...line('undo', undo),
    ...line('step', `${step.do} ${parameters.join(' ')}`),
    ...(step.cuts ? line('cuts', "Briefly interrupts the node's network.") : []),
  ];
}

function stepsOf({before, steps, after}: RepairPlan): Step[] {
  const all = [
    ...before.map(step => ({step, where: 'client' as const})),
    ...steps.map(step => ({step, where: 'node' as const})),
    ...after.map(step => ({step, where: 'client' as const})),
  ];
  return all.map(({step, where}, i) => ({number: i + 1, where, step, ...describe(step)}));
}

function asksForName(plan: RepairPlan): boolean {
  return plan.forced || cutsNetwork(plan);
}
