import {stringWidth} from '../../../lib/width.js';
import type {Content} from './content.js';
import {type Action, type DashboardState, shownEntries, tabs} from './dashboard-state.js';
import {headingAt, type ListColumns} from './node-list.js';
import {tabTexts} from './parts.js';

/** Reports button presses and the wheel, in SGR encoding, which has no column limit. */
export const mouseOn = '\u001b[?1000h\u001b[?1006h';
export const mouseOff = '\u001b[?1006l\u001b[?1000l';

interface MouseEvent {
  readonly does: 'press' | 'up' | 'down';
  /** Zero-based. */
  readonly column: number;
  readonly row: number;
}

/** Extracts mouse reports from the terminal's input, because Ink discards them. */
export class MouseReports {
  readonly #listeners = new Set<(event: MouseEvent) => void>();
  /** The start of a report whose end has not arrived yet. */
  #begun = '';

  readonly listen = (listener: (event: MouseEvent) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Passes the reports in a text to the listeners, and returns the rest of the text. */
  take(text: string): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: reports start with the escape character
    const [, whole = '', begun = ''] = /^(.*?)(\u001b\[<[\d;]*)?$/s.exec(this.#begun + text) ?? [];
    this.#begun = begun;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
    return whole.replace(/\u001b\[<(\d+);(\d+);(\d+)([Mm])/g, (_, button, column, row, end) => {
      const does = ({'0': 'press', '64': 'up', '65': 'down'} as const)[String(button)];
      if (does !== undefined && end === 'M') this.#tell({does, column: Number(column) - 1, row: Number(row) - 1});
      return '';
    });
  }

  #tell(event: MouseEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

/** A terminal's input without mouse reports. */
export function withoutReports(input: NodeJS.ReadStream, reports: MouseReports): NodeJS.ReadStream {
  const read = () => {
    const chunk: unknown = input.read();
    return chunk === null ? null : reports.take(String(chunk));
  };
  return new Proxy(input, {
    get(target, name) {
      if (name === 'read') return read;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** The positions of the screen's parts. */
export interface Layout {
  readonly columns: number;
  /** The first row below the tabs. */
  readonly top: number;
  readonly height: number;
  /** Width of the node list, and its columns; undefined if it is not shown. */
  readonly list: number;
  readonly listColumns: ListColumns | undefined;
  /** Index of the first visible node. */
  readonly firstNode: number;
  readonly firstLine: number;
  readonly content: Content;
}

const wheelLines = 3;

export function mouseAction(event: MouseEvent, state: DashboardState, layout: Layout): Action | undefined {
  const {does, column, row} = event;
  const inList = column < layout.list;
  if (does !== 'press') {
    const by = does === 'up' ? -1 : 1;
    return inList ? {type: 'move', by, of: 'nodes'} : {type: 'page', by: by * wheelLines};
  }
  if (row === 1) return tabAt(column, state, layout.columns);
  const line = row - layout.top;
  if (line < 0 || line >= layout.height) return undefined;
  if (inList && layout.listColumns)
    return line === 0 ? headingAt(column, layout.listColumns) : nodeAt(line - 1, state, layout);
  return state.overlay ? undefined : findingAt(line - 1, state, layout);
}

function tabAt(column: number, state: DashboardState, columns: number): Action | undefined {
  let end = 0;
  for (const [i, text] of tabTexts(state, columns).entries()) {
    end += stringWidth(text) + 1;
    const tab = tabs[i];
    if (column < end && tab) return {type: 'tab', tab};
  }
  return undefined;
}

function nodeAt(line: number, state: DashboardState, {firstNode}: Layout): Action | undefined {
  const entry = shownEntries(state)[firstNode + line];
  return entry && {type: 'node', name: entry.name};
}

function findingAt(line: number, {tab}: DashboardState, {firstLine, content}: Layout): Action {
  const index = content.starts?.findLastIndex(start => start <= firstLine + line) ?? -1;
  return tab === 'Findings' && index >= 0 ? {type: 'finding', index} : {type: 'focus', on: 'content'};
}
