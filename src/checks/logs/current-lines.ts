/** One recent line of a log. */
export interface Line {
  readonly text: string;
  /** Whether the log reports a later success, or the component has started since: the error is then resolved. */
  readonly overtaken: boolean;
}

const minutes = 60_000;
const recent = 30 * minutes;
/** Limits for untrusted data from nodes. */
const mostLines = 2000;
export const longestLine = 2000;
/** Messages of agents that report success after an earlier failure. */
const success =
  /\b(created HNS ?(network|endpoint)|created HostComputeNetwork|attached bridge endpoint .* successfully|added interface|ADD command completed|processed CmdAdd|initialisation succeeded|updates succeeded|subnet added|claiming lport)\b/i;

/** Messages that components, including plugin agents, write when they start. */
export function startPattern(agents: readonly string[]): RegExp {
  const names = ['kube-?proxy', ...agents].join('|');
  return new RegExp(
    `\\b(log file created at:|starting (the )?(${names})\\w*|ovs(db-server|-vswitchd) \\(Open vSwitch\\))`,
    'i',
  );
}

/** An error from before a start recurs within this time if it is not resolved. */
const retry = 2 * minutes;

/**
 * The lines of a log's tail that are no more than half an hour older than its last one.
 * Times are only compared within the log: klog writes local time without year or time zone.
 */
export function currentLines(tail: string, start: RegExp): Line[] {
  const lines = tail
    .split(/\r?\n/)
    .filter(line => line.trim() !== '')
    .slice(-mostLines)
    .map(line => line.slice(0, longestLine));
  const last = lines.findLast(line => timeOf(line) !== undefined);
  const end = last === undefined ? undefined : timeOf(last);
  const lastSuccess = lines.findLastIndex(line => success.test(line));
  const lastStart = lines.findLastIndex(line => start.test(line));
  const startedAt = timeOf(lines[lastStart] ?? '');
  const isSteady = startedAt !== undefined && end !== undefined && end - startedAt > retry;
  let at: number | undefined;
  return lines.flatMap((text, i) => {
    at = timeOf(text) ?? at;
    const isOld = at !== undefined && end !== undefined && end - at > recent;
    return isOld ? [] : [{text, overtaken: i < lastSuccess || (isSteady && i < lastStart)}];
  });
}

const timeOf = (line: string) => lineTime(line, 2000);

/** The time of a line, in the clock of the log; klog omits the year. */
export function lineTime(line: string, yearOfKlog: number): number | undefined {
  const iso = /^(?:time=")?(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d):(\d\d)/.exec(line);
  const klog = iso ? undefined : /^[IWEF]()(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)/.exec(line);
  const parts = (iso ?? klog)?.slice(1).map(Number);
  if (!parts) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts;
  return Date.UTC(year || yearOfKlog, month - 1, day, hour, minute, second);
}
