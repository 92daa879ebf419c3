/** A duration as kubectl's tables show it: two units for short durations, then one. */
function humanDuration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1_000);
  if (seconds < 120) return `${Math.max(0, seconds)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return two(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? two(years, 'y', days % 365, 'd') : `${years}y`;
}

const two = (a: number, unitA: string, b: number, unitB: string) => `${a}${unitA}${b ? `${b}${unitB}` : ''}`;

export function age(since: unknown): string {
  const time = typeof since === 'string' ? Date.parse(since) : Number.NaN;
  return Number.isNaN(time) ? '<unknown>' : humanDuration(Date.now() - time);
}
