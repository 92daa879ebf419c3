export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

export const before = (date: Date, milliseconds: number): Date => new Date(date.getTime() - milliseconds);
export const after = (date: Date, milliseconds: number): Date => new Date(date.getTime() + milliseconds);

/** A time as the helper writes it: seconds and the UTC offset of the node, here always zero. */
export const nodeTime = (date: Date): string => `${date.toISOString().slice(0, 19)}+00:00`;

/** 100 ns intervals since 1601, as HNS writes times. They exceed 2^53, so a JavaScript number loses the last digits. */
export const fileTime = (date: Date): number => (date.getTime() + 11_644_473_600_000) * 10_000;

/** The start of a klog line: `I0303 10:29:07.027115`. */
export function klogTime(date: Date, level = 'I'): string {
  const iso = date.toISOString();
  return `${level}${iso.slice(5, 7)}${iso.slice(8, 10)} ${iso.slice(11, 23)}000`;
}
