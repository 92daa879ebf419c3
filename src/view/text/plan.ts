import {styleText} from 'node:util';
import {plain} from '../../lib/untrusted.js';
import {cutsNetwork, type RepairPlan} from '../../model/repair-plan.js';
import type {TextOptions} from '../view.js';
import {stepTable} from './step-table.js';
import {wrap} from './wrap.js';

/** The plan for review: what it repairs, its steps, their risks, and notes. */
export function renderPlan(plan: RepairPlan, {colour, width, verbose = false}: TextOptions): string {
  const paint = (style: Parameters<typeof styleText>[0]) => (text: string) =>
    colour ? styleText(style, text, {validateStream: false}) : text;
  const line = (text: string, hang = 0) => wrap(text, {indent: 0, hang, width});
  const warning = (text: string) => line(`${paint('yellow')('!')} ${plain(text)}`, 2);
  const note = (text: string) => line(`${paint('blue')('i')} ${plain(text)}`, 2);
  return [
    ...line(paint('bold')(plain(plan.title))),
    ...line(plain(`Level ${plan.level}${plan.repairs.length > 0 ? `, for ${plan.repairs.join(', ')}` : ''}.`)),
    '',
    ...stepTable(plan, {width, verbose, red: paint('red'), dim: paint('dim')}),
    '',
    ...warningsOf(plan).flatMap(warning),
    ...plan.notes.flatMap(note),
    ...line(paint('dim')(plain(`Plan ${plan.id}, hash ${plan.hash.slice(0, 12)}.`))),
  ]
    .map(text => `${text}\n`)
    .join('');
}

/** What the user must know before approving the plan. */
export function warningsOf(plan: RepairPlan): string[] {
  return [
    ...plan.loses.map(({namespace, pod}) => `Pod ${namespace}/${pod} loses its network during the repair.`),
    ...costs(plan),
  ];
}

function costs(plan: RepairPlan): string[] {
  const remade =
    plan.remakes.length > 0 ? [`When it starts, the agent removes and recreates ${plan.remakes.join(' and ')}.`] : [];
  if (!cutsNetwork(plan)) return remade;
  const {deadMan, uplink} = plan;
  const saved = uplink
    ? `; ${uplink.address} on ${uplink.adapter} (${uplink.static ? 'static' : 'leased'}) is saved first`
    : '';
  const back = deadMan && [
    deadMan.address,
    deadMan.gateway && `gateway ${deadMan.gateway}`,
    `API server ${deadMan.apiServer}`,
  ];
  return [
    ...remade,
    `The node's network is interrupted${saved}.`,
    back
      ? `These must be back within ${deadMan.withinSeconds} s: ${back.filter(Boolean).join(', ')}. Otherwise the node rolls the plan back.`
      : 'The agent does this when it starts, as after every boot. The node cannot undo it.',
  ];
}
