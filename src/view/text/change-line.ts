import {styleText} from 'node:util';
import type {DoctorChange} from '../../diagnose/changes.js';
import {plain} from '../../lib/untrusted.js';
import type {TextOptions} from '../view.js';

const styles: Readonly<Record<DoctorChange['change'], Parameters<typeof styleText>[0]>> = {
  found: 'red',
  resolved: 'green',
  undetermined: 'yellow',
  uninspected: 'yellow',
  inspected: 'green',
  added: 'cyan',
  removed: 'cyan',
  failed: 'red',
};

const widest = Math.max(...Object.keys(styles).map(({length}) => length));

/** One line per change: time, kind, node, message. */
export function changeText({at, change, node, check, severity, message}: DoctorChange, {colour}: TextOptions): string {
  const word = change.padEnd(widest);
  const shown = colour ? styleText(styles[change], word, {validateStream: false}) : word;
  const what = check === undefined ? '' : `${severity} ${check}: `;
  return `${at}  ${shown}  ${plain(node ?? 'cluster')}  ${what}${plain(message)}\n`;
}
