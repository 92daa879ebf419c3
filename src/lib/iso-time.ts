/** A time as evidence shows it. */
export function isoTime(time: number | undefined): string {
  return time === undefined ? 'unknown' : new Date(time).toISOString();
}
