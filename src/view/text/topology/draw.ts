import {styleText} from 'node:util';
import {plain} from '../../../lib/untrusted.js';
import {stringWidth} from '../../../lib/width.js';
import {kindTitles, type Part, type Topology} from '../../../services/inspect/part.js';
import type {TextOptions} from '../../view.js';
import {wrap} from '../wrap.js';

/** A row of the drawing: the branches, the part with the findings that name it, and its details. */
export interface DrawnRow {
  readonly branch: string;
  readonly look: 'error' | 'warning' | 'plain';
  readonly told: string;
  readonly about: string;
}

interface DrawnPart {
  readonly branch: string;
  /** The branches before continuation rows. */
  readonly under: string;
  readonly part: Part;
}

/** The drawing in rows. Wide rows are wrapped, so that nothing is cut off. */
export function drawnRows(parts: readonly Part[], width = Number.POSITIVE_INFINITY): DrawnRow[] {
  return parts
    .flatMap(part => [{branch: '', under: stem(part), part}, ...below(part, '')])
    .flatMap(drawn => rowsOf(drawn, width));
}

function below({parts}: Part, indent: string): DrawnPart[] {
  return parts.flatMap((part, i) => {
    const last = i === parts.length - 1;
    const deeper = `${indent}${last ? '   ' : '│  '}`;
    return [
      {branch: `${indent}${last ? '└─ ' : '├─ '}`, under: `${deeper}${stem(part)}`, part},
      ...below(part, deeper),
    ];
  });
}

function stem({parts}: Part): string {
  return parts.length > 0 ? '│    ' : '     ';
}

function rowsOf({branch, under, part}: DrawnPart, width: number): DrawnRow[] {
  const sign = signOf(part);
  const look = sign === '✗ ' ? 'error' : sign === '! ' ? 'warning' : 'plain';
  const name = `${sign}${shortName(part.name)}`;
  const row = (told: string, about = '', before = branch): DrawnRow => ({branch: before, look, told, about});
  const fits = ({branch: before, told, about}: DrawnRow) => stringWidth(`${before}${told}${about}`) <= width;
  const whole = row(`${name}${findingsOf(part)}`, `  ${aboutPart(part)}`);
  if (fits(whole)) return [whole];
  const below = (text: string) => wrap(text, {indent: 0, hang: 0, width: width - stringWidth(under)});
  const head = row(whole.told);
  return [
    ...(fits(head) ? [head] : [row(name), ...below(findingsOf(part).trim()).map(line => row(line, '', under))]),
    ...below(aboutPart(part)).map(line => row('', line, under)),
  ];
}

/** Affected parts have a sign, so that they are recognisable without colours. */
export function signOf({trouble, missing}: Part): '✗ ' | '! ' | '' {
  if (trouble) return trouble.severity === 'error' ? '✗ ' : '! ';
  return missing ? '! ' : '';
}

export function aboutPart({kind, details, missing}: Part): string {
  const told = details.map(plain).join(', ');
  if (missing) return `${kindTitles[kind]}: missing${told === '' ? '' : ` (expected: ${told})`}`;
  return [kindTitles[kind], told].filter(text => text !== '').join(', ');
}

/** Findings come before the details, so that a narrow screen does not cut them off. */
function findingsOf({trouble}: Part): string {
  return trouble && trouble.findings.length > 0 ? ` ← ${trouble.findings.join(', ')}` : '';
}

/** Shortens sandbox ids from 64 to 12 hexadecimal digits, like crictl. */
export function shortName(name: string): string {
  return plain(name).replace(/[0-9a-f]{24,}/gi, digits => `${digits.slice(0, 12)}…`);
}

export function headline({node, address, plugin}: Topology): string {
  return [node, address, plugin]
    .filter(Boolean)
    .map(text => plain(text as string))
    .join('  ');
}

type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** Yellow text is hard to read on a light background, so only the sign of a warning is coloured. */
function painted(look: DrawnRow['look'], told: string, paint: Paint): string {
  if (look === 'error') return paint('red', told);
  const sign = told.startsWith('! ') ? '! ' : '';
  return `${paint('yellow', sign)}${paint('bold', told.slice(sign.length))}`;
}

/** The drawing as text. */
export function drawText(topology: Topology, {colour, width}: TextOptions): string {
  const paint: Paint = (style, text) =>
    colour && text !== '' ? styleText(style, text, {validateStream: false}) : text;
  const lines = drawnRows(topology.parts, width).map(
    ({branch, look, told, about}) => `${paint('dim', branch)}${painted(look, told, paint)}${paint('dim', about)}`,
  );
  const ofCluster = (topology.ofCluster ?? []).flatMap(({id, severity, message}) =>
    wrap(
      `${severity === 'error' ? paint('red', '✗') : paint('yellow', '!')} ${paint('bold', id)} (whole cluster)  ${plain(message)}`,
      {indent: 0, hang: 2, width},
    ),
  );
  const unread = topology.unread.map(text => `${paint('yellow', '?')} not read: ${plain(text)}`);
  return [paint('bold', headline(topology)), '', ...lines, ...ofCluster, ...unread].map(line => `${line}\n`).join('');
}
