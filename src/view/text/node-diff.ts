import {styleText} from 'node:util';
import {plain} from '../../lib/untrusted.js';
import type {Difference} from '../../services/diff/compare.js';
import type {NodeDiff, NodeDiffList} from '../../services/diff/diff.js';
import type {TextOptions, View} from '../view.js';
import {wrap} from './wrap.js';

export const nodeDiffView: View<NodeDiffList> = {
  text: ({items}, options) => items.map(one => diffText(one, options)).join('\n'),
};

/** More would hide the most significant ones; `-v` and `-o json` show all. */
const most = 20;

function diffText({left, right, differences, uncompared, failures}: NodeDiff, options: TextOptions): string {
  const paint: Paint = (style, text) => (options.colour ? styleText(style, text, {validateStream: false}) : text);
  const told = options.verbose ? differences : differences.slice(0, most);
  const more = differences.length - told.length;
  const names = [left, right].map(plain) as [string, string];
  const lines = [
    `${paint('red', `- ${names[0]}`)}`,
    `${paint('green', `+ ${names[1]}`)}`,
    '',
    ...told.flatMap(one => differenceLines(one, paint, options)),
    ...(more > 0 ? [`${more} more differences: use -v or -o json.`, ''] : []),
    ...Object.entries(failures).map(([node, reason]) => `? ${plain(node)} was not read: ${plain(reason)}`),
    ...gaps(uncompared).map(line => `? ${line}`),
    summary({differences, uncompared, failures}),
  ];
  return `${lines.join('\n')}\n`;
}

type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

function differenceLines(
  {object, field, left, right, findings}: Difference,
  paint: Paint,
  {width}: TextOptions,
): string[] {
  const named = findings.length > 0 ? `  ${paint('dim', findings.join(', '))}` : '';
  const value = (text: string | undefined) => shortened(plain(text ?? 'missing'));
  return [
    `${paint('bold', shortened(plain([object, field].filter(Boolean).join(', '))))}${named}`,
    ...wrap(`${paint('red', '-')} ${value(left)}`, {indent: 2, hang: 4, width}),
    ...wrap(`${paint('green', '+')} ${value(right)}`, {indent: 2, hang: 4, width}),
    '',
  ];
}

/** A value can be a whole file. */
const shortened = (text: string) => (text.length <= 300 ? text : `${text.slice(0, 299)}…`);

function gaps(uncompared: NodeDiff['uncompared']): string[] {
  const groups = Map.groupBy(uncompared, ({node, reason}) => `${plain(node)}: ${plain(reason)}`);
  return Array.from(
    groups,
    ([why, sections]) => `not compared: ${sections.map(({section}) => section).join(', ')} (${why})`,
  );
}

function summary({
  differences,
  uncompared,
  failures,
}: Pick<NodeDiff, 'differences' | 'uncompared' | 'failures'>): string {
  if (Object.keys(failures).length > 0) return 'Not compared.';
  const sections = new Set(uncompared.map(({section}) => section)).size;
  const gap = sections > 0 ? `; ${sections} section${sections === 1 ? '' : 's'} not compared` : '';
  const n = differences.length;
  return `${n === 0 ? 'No differences' : `${n} difference${n === 1 ? '' : 's'}`}${gap}.`;
}
