import {styleText} from 'node:util';
import {plain} from '../../lib/untrusted.js';
import type {NodeLogs} from '../../services/logs/logs.js';
import type {LogLine} from '../../services/logs/merge.js';
import type {TextOptions, View} from '../view.js';

export const logsView: View<NodeLogs> = {
  text: ({lines}, options) => linesText(lines, options),
  notes: ({unread}) => unread.map(({path, reason}) => `${plain(path)} could not be read: ${plain(reason)}\n`).join(''),
  document: ({lines, ...rest}) => ({
    ...rest,
    lines: lines.map(({at, ...line}) => ({...(at !== undefined && {at: new Date(at).toISOString()}), ...line})),
  }),
};

/** Each line after the component that wrote it; a known error is explained below it. */
export function linesText(lines: readonly LogLine[], {colour}: TextOptions): string {
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    colour ? styleText(style, text, {validateStream: false}) : text;
  const widest = Math.max(0, ...lines.map(({component}) => component.length));
  return lines
    .map(({component, text, means}) => {
      const name = paint('cyan', plain(component).padEnd(widest));
      if (means === undefined) return `${name}  ${plain(text)}\n`;
      return `${name}  ${paint('red', plain(text))}\n${' '.repeat(widest)}  ${paint('bold', `^ ${plain(means)}`)}\n`;
    })
    .join('');
}
