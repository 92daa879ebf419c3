/** One line of a log that is still about now. */
export interface Line {
  readonly text: string;
  /** Whether something succeeded after it, or the component has started since: then it is over. */
  readonly overtaken: boolean;
}

const minutes = 60_000;
const recent = 30 * minutes;
/** A node can say anything: no more than this is inspected. */
const mostLines = 2000;
export const longestLine = 2000;
/** How agents tell that what failed before has worked since. */
const success =
  /\b(created HNS ?(network|endpoint)|created HostComputeNetwork|attached bridge endpoint .* successfully|added interface|ADD command completed|processed CmdAdd|initialisation succeeded|updates succeeded|subnet added|claiming lport)\b/i;

/** How components say that they begin again, the agents of plugins among them. */
export function startPattern(agents: readonly string[]): RegExp {
  const names = ['kube-?proxy', ...agents].join('|');
  return new RegExp(
    `\\b(log file created at:|starting (the )?(${names})\\w*|ovs(db-server|-vswitchd) \\(Open vSwitch\\))`,
    'i',
  );
}

/** What failed before a start comes again within this, if it still does. */
const retry = 2 * minutes;

/**
 * The lines of a log's tail that are no more than half an hour older than its last one.
 * Times are compared within the log only: klog writes local time without year or zone.
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

/** When a line was written, on the log's own clock; klog leaves the year out. */
export function lineTime(line: string, yearOfKlog: number): number | undefined {
  const iso = /^(?:time=")?(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d):(\d\d)/.exec(line);
  const klog = iso ? undefined : /^[IWEF]()(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)/.exec(line);
  const parts = (iso ?? klog)?.slice(1).map(Number);
  if (!parts) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts;
  return Date.UTC(year || yearOfKlog, month - 1, day, hour, minute, second);
}
