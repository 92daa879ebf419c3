import {plain} from '../../lib/untrusted.js';
import {stringWidth} from '../../lib/width.js';
import type {RepairPlan} from '../../model/repair-plan.js';
import {describe} from '../../repair/steps/all.js';
import {wrap} from './wrap.js';

type Steps = Pick<RepairPlan, 'before' | 'steps' | 'after'>;

export interface TableOptions {
  /** The available width; undefined: no wrapping, for pipes. */
  readonly width: number | undefined;
  /** Also show the conditions before and after each step. */
  readonly verbose: boolean;
  readonly red: (text: string) => string;
  readonly dim: (text: string) => string;
}

interface Row {
  readonly number: string;
  readonly where: string;
  readonly cuts: string;
  readonly changes: string;
  readonly undo: string;
  readonly details: readonly string[];
}

const heading: Row = {number: '#', where: 'WHERE', cuts: 'CUTS', changes: 'CHANGES', undo: 'UNDO', details: []};
const gap = '   ';
const undoWidth = 30;
const narrowest = 24;

/** The steps of a plan in order, one row each, with the reason below it. */
export function stepTable(plan: Steps, options: TableOptions): string[] {
  const {width, verbose, red, dim} = options;
  const rows = [heading, ...rowsOf(plan, verbose)];
  const column = (cell: (row: Row) => string) => Math.max(...rows.map(row => stringWidth(cell(row))));
  const widths = [column(row => row.number), column(row => row.where), column(row => row.cuts)] as const;
  const indent = widths.reduce((sum, its) => sum + its + gap.length, 0);
  if (width !== undefined && width < indent + narrowest + gap.length + undoWidth) return stepList(plan, width, options);
  const widest = column(row => row.changes);
  const room = width === undefined ? widest : Math.min(widest, width - indent - gap.length - undoWidth);
  return rows.flatMap(row => {
    const left = cellLines(row.changes, width && room);
    const right = cellLines(row.undo, width && undoWidth);
    const first = [pad(row.number, widths[0]), pad(row.where, widths[1]), cutsCell(row, widths[2], red)].join(gap);
    const lines = Array.from({length: Math.max(left.length, right.length)}, (_, i) =>
      [i === 0 ? first : ' '.repeat(indent - gap.length), pad(left[i] ?? '', room), right[i] ?? ''].join(gap).trimEnd(),
    );
    const details = row.details.flatMap(text => wrap(text, {indent, hang: indent + 2, width}));
    return [...lines, ...details.map(dim)];
  });
}

/** For a terminal that the columns do not fit into: "1  node, cuts: Restarts service ovs-vswitchd." with the reason and the undo under it. */
function stepList(plan: Steps, width: number, {verbose, red, dim}: TableOptions): string[] {
  const rows = rowsOf(plan, verbose);
  const indent = String(rows.length).length + 2;
  return rows.flatMap(({number, where, cuts, changes, undo, details}) => {
    const place = cuts === 'yes' ? `${where}, ${red('cuts')}` : where;
    const under = [...details, `undo: ${undo}`].flatMap(text => wrap(text, {indent, hang: indent + 2, width}));
    return [...wrap(`${pad(number, indent)}${place}: ${changes}`, {indent: 0, hang: indent, width}), ...under.map(dim)];
  });
}

function rowsOf({before, steps, after}: Steps, verbose: boolean): Row[] {
  const all = [
    ...before.map(step => ({step, where: 'client'})),
    ...steps.map(step => ({step, where: 'node'})),
    ...after.map(step => ({step, where: 'client'})),
  ];
  return all.map(({step, where}, i) => {
    const {changes, requires, verifies, undo = 'none'} = describe(step);
    return {
      number: String(i + 1),
      where,
      cuts: step.cuts ? 'yes' : '-',
      changes: plain(changes),
      undo,
      details: [
        ...(step.why === undefined ? [] : [plain(step.why)]),
        ...(verbose ? [`before: ${requires}`, `after: ${verifies}`] : []),
      ],
    };
  });
}

function cutsCell({cuts}: Row, width: number, red: (text: string) => string): string {
  return cuts === 'yes' ? red(pad(cuts, width)) : pad(cuts, width);
}

function cellLines(text: string, width: number | undefined): string[] {
  return wrap(text, {indent: 0, hang: 0, width});
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}
