import {styleText} from 'node:util';
import {plain} from '../untrusted.js';
import {kindTitles, type Part, type Topology} from './part.js';

/** A line of the drawing: the branches before a part, and the part. */
export interface DrawnLine {
  readonly branch: string;
  readonly part: Part;
}

/** Lines of equal rank are of the same length until their name. */
export function drawnLines(parts: readonly Part[]): DrawnLine[] {
  return parts.flatMap(part => [{branch: '', part}, ...below(part, '')]);
}

function below({parts}: Part, indent: string): DrawnLine[] {
  return parts.flatMap((part, i) => {
    const last = i === parts.length - 1;
    return [{branch: `${indent}${last ? '└─ ' : '├─ '}`, part}, ...below(part, `${indent}${last ? '   ' : '│  '}`)];
  });
}

/** Broken parts have a sign, so that nothing hangs on colour alone. */
export function signOf({trouble, missing}: Part): '✗ ' | '! ' | '' {
  if (trouble) return trouble.severity === 'error' ? '✗ ' : '! ';
  return missing ? '! ' : '';
}

export function aboutPart({kind, details, missing}: Part): string {
  return [`${kindTitles[kind]}${missing ? ' is not there' : ''}`, ...details].map(plain).join(', ');
}

/** What names a part as broken comes before what is known of it: a narrow screen must not cut it off. */
export function findingsOf({trouble}: Part): string {
  return trouble ? ` ← ${trouble.findings.join(', ')}` : '';
}

/** Names of sandboxes are 64 hexadecimal digits; the first twelve tell them apart, as crictl prints them. */
export function shortName(name: string): string {
  return plain(name).replace(/[0-9a-f]{24,}/gi, digits => `${digits.slice(0, 12)}…`);
}

export function headline({node, address, plugin}: Topology): string {
  return [node, address, plugin]
    .filter(Boolean)
    .map(text => plain(text as string))
    .join('  ');
}

/** The drawing as text. */
export function drawText(topology: Topology, {colour}: {readonly colour: boolean}): string {
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    colour && text !== '' ? styleText(style, text, {validateStream: false}) : text;
  const lines = drawnLines(topology.parts).map(({branch, part}) => {
    const sign = signOf(part);
    const style = sign === '✗ ' ? 'red' : sign === '! ' ? 'yellow' : 'bold';
    const told = `${sign}${shortName(part.name)}${findingsOf(part)}`;
    return `${paint('dim', branch)}${paint(style, told)}  ${paint('dim', aboutPart(part))}`;
  });
  const unread = topology.unread.map(text => `${paint('yellow', '?')} not read: ${plain(text)}`);
  return [paint('bold', headline(topology)), '', ...lines, ...unread].map(line => `${line}\n`).join('');
}
