import {lineTime} from '../../checks/logs/current-lines.js';
import type {Sections} from '../../snapshot/sections.js';

/** A line of a log on a node. */
export interface LogLine {
  /** In the node's clock; undefined if neither this line nor an earlier one has a time. */
  readonly at: number | undefined;
  /** The program that wrote it, from the name of the log. */
  readonly component: string;
  readonly path: string;
  readonly text: string;
  /** The explanation, if the line is a known error. */
  readonly means?: string;
}

type Logs = Sections['logs'];

export interface MergeOptions {
  /** Milliseconds since 1970; earlier lines are left out. */
  readonly since?: number | undefined;
  /** The node's UTC offset in milliseconds: most programs log local times without an offset. */
  readonly utcOffset?: number | undefined;
  /** Parts of component names; empty: all components. */
  readonly components?: readonly string[];
  meaningOf(text: string): string | undefined;
}

/** Merges the logs of a node in the order of their times. */
export function mergeLogs(logs: Logs, {since, utcOffset, components = [], meaningOf}: MergeOptions): LogLine[] {
  const wanted = components.map(name => name.toLowerCase());
  const lines = logs
    .filter(({path}) => wanted.length === 0 || wanted.some(name => componentOf(path).includes(name)))
    .flatMap(log => linesOf(log, utcOffset))
    .filter(({at}) => since === undefined || (at !== undefined && at >= since))
    .map((line, i) => ({line, i}));
  // Lines of one log keep their order, because several may have the same time.
  lines.sort((one, other) => (one.line.at ?? 0) - (other.line.at ?? 0) || one.i - other.i);
  return lines.map(({line}) => {
    const means = meaningOf(line.text);
    return means === undefined ? line : {...line, means};
  });
}

export function componentOf(path: string): string {
  const file = path.split(/[\\/]/).at(-1) ?? path;
  // klog writes antrea-agent.HOST.USER.log.INFO.20260302-091250.1234.
  return (
    file
      .replace(/\.(?:log|err|out|txt)\b.*$/i, '')
      .replace(/\.[\w-]+\.[\w$-]+$/, '')
      .toLowerCase() || file
  );
}

export const componentsOf = (logs: Logs): string[] => [...new Set(logs.map(({path}) => componentOf(path)))].sort();

/** The lines of a log since a time, including those without a time. */
export function textSince(log: Logs[number], since: number | undefined, utcOffset: number | undefined): string {
  if (since === undefined) return log.tail;
  const lines = linesOf(log, utcOffset).filter(({at}) => at === undefined || at >= since);
  return lines.map(({text}) => text).join('\n');
}

function linesOf({path, tail, writtenAt}: Logs[number], utcOffset = 0): LogLine[] {
  const component = componentOf(path);
  const year = new Date(writtenAt ?? Date.now()).getUTCFullYear();
  let at: number | undefined;
  return tail
    .split(/\r?\n/)
    .filter(text => text.trim() !== '')
    .map(text => {
      const time = lineTime(text, year);
      if (time !== undefined) at = time - (zoneOf(text) ?? utcOffset);
      return {at, component, path, text};
    });
}

/** The UTC offset after the time of a line, in milliseconds. */
function zoneOf(line: string): number | undefined {
  const zone = /^(?:time=")?[\d/-]{10}[T ][\d:.,]{8,}(Z|[+-]\d\d:?\d\d)/.exec(line)?.[1];
  if (zone === undefined || zone === 'Z') return zone === undefined ? undefined : 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}
