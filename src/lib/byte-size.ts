import {WinError} from './errors.js';

const units: Readonly<Record<string, number>> = {'': 1, k: 1e3, Ki: 1024, M: 1e6, Mi: 1024 ** 2, G: 1e9, Gi: 1024 ** 3};

/** A number of bytes, or a Kubernetes quantity: `65536`, `64Ki`, `1M`. */
export function parseByteSize(text: string, flag: string, {least, most}: {least: number; most: number}): number {
  const [, digits, unit = ''] = /^(\d{1,15})(|k|Ki|M|Mi|G|Gi)$/.exec(text) ?? [];
  const bytes = digits === undefined ? Number.NaN : Number(digits) * (units[unit] ?? Number.NaN);
  if (bytes >= least && bytes <= most) return bytes;
  throw new WinError(`${flag}=${text} is not a size from ${byteSizeText(least)} to ${byteSizeText(most)}.`, {
    next: [`Write it as in ${flag}=65536, 64Ki or 1Mi.`],
  });
}

/** The size in the largest unit that yields a whole number. */
export function byteSizeText(bytes: number): string {
  const unit = ['Gi', 'Mi', 'Ki'].find(one => bytes % (units[one] ?? 1) === 0) ?? '';
  return `${bytes / (units[unit] ?? 1)}${unit}`;
}
