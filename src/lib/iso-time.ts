/** A time as shown in evidence. */
export function isoTime(time: number | undefined): string {
  return time === undefined ? 'unknown' : new Date(time).toISOString();
}
