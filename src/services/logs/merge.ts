import {lineTime} from '../../checks/logs/current-lines.js';
import type {Sections} from '../../snapshot/sections.js';

/** A line of a log on a node. */
export interface LogLine {
  /** On the node's own clock; undefined where neither the line nor one before it tells. */
  readonly at: number | undefined;
  /** Which program wrote it: the name of its log. */
  readonly component: string;
  readonly path: string;
  readonly text: string;
  /** What a known error means. */
  readonly means?: string;
}

type Logs = Sections['logs'];

export interface MergeOptions {
  /** Milliseconds since 1970; lines before it are left out. */
  readonly since?: number | undefined;
  /** What the node's clock is ahead of UTC, in milliseconds: most programs write local times and do not say so. */
  readonly utcOffset?: number | undefined;
  /** Parts of components' names; all where there are none. */
  readonly components?: readonly string[];
  meaningOf(text: string): string | undefined;
}

/** The logs of a node in one list, in the order in which their lines were written. */
export function mergeLogs(logs: Logs, {since, utcOffset, components = [], meaningOf}: MergeOptions): LogLine[] {
  const wanted = components.map(name => name.toLowerCase());
  const lines = logs
    .filter(({path}) => wanted.length === 0 || wanted.some(name => componentOf(path).includes(name)))
    .flatMap(log => linesOf(log, utcOffset))
    .filter(({at}) => since === undefined || (at !== undefined && at >= since))
    .map((line, i) => ({line, i}));
  // Lines of one log stay in their order: clocks of programs are coarser than their logs.
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

/** The lines of a log since a time; those of which nobody can tell when they were written are among them. */
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

/** The zone that a line names after its time, in milliseconds ahead of UTC. */
function zoneOf(line: string): number | undefined {
  const zone = /^(?:time=")?[\d/-]{10}[T ][\d:.,]{8,}(Z|[+-]\d\d:?\d\d)/.exec(line)?.[1];
  if (zone === undefined || zone === 'Z') return zone === undefined ? undefined : 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}
