/** Compares names in natural order: win-2 before win-10. */
export function naturally(one: string, other: string): number {
  const [left, right] = [partsOf(one), partsOf(other)];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = comparePart(left[i] ?? '', right[i] ?? '');
    if (order !== 0) return order;
  }
  return left.length - right.length || alphabetically(one, other);
}

function partsOf(name: string): string[] {
  return name.match(/\d+|\D+/g) ?? [];
}

function comparePart(one: string, other: string): number {
  if (!/^\d/.test(one) || !/^\d/.test(other)) return alphabetically(one, other);
  const [left, right] = [one.replace(/^0+/, ''), other.replace(/^0+/, '')];
  return left.length - right.length || alphabetically(left, right);
}

/** For ASCII names. The first comparison with `localeCompare` takes Node 13 ms. */
export function alphabetically(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
