export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

export const before = (date: Date, milliseconds: number): Date => new Date(date.getTime() - milliseconds);
export const after = (date: Date, milliseconds: number): Date => new Date(date.getTime() + milliseconds);

/** A time as the helper writes it: with seconds and the offset of the node's zone, which here is UTC. */
export const nodeTime = (date: Date): string => `${date.toISOString().slice(0, 19)}+00:00`;

/** 100 ns since 1601, as HNS stamps its objects: above 2^53, so the last digits are lost in a JavaScript number. */
export const fileTime = (date: Date): number => (date.getTime() + 11_644_473_600_000) * 10_000;

/** The start of a line of klog: `I0303 10:29:07.027115`. */
export function klogTime(date: Date, level = 'I'): string {
  const iso = date.toISOString();
  return `${level}${iso.slice(5, 7)}${iso.slice(8, 10)} ${iso.slice(11, 23)}000`;
}
