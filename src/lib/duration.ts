import {WinError} from './errors.js';

const unitMs: Readonly<Record<string, number>> = {ms: 1, s: 1000, m: 60_000, h: 3_600_000};

/** Parses a duration in the format of kubectl's flags: `1m30s`, `500ms`, or a number of seconds. In milliseconds. */
export function parseDuration(text: string, flag: string): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) {
    throw new WinError(`${flag}=${text} is not a duration.`, {next: [`Write it as in ${flag}=30s, 2m or 1h.`]});
  }
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    total += Number(amount) * (unitMs[unit as string] as number);
  }
  return total;
}

/** Seconds in the format of a flag: `90s`, `5m`, `1h`, in the largest unit that yields a whole number. */
export function durationText(seconds: number): string {
  if (seconds === 0) return '0s';
  if (seconds % 3600 === 0) return `${seconds / 3600}h`;
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}
