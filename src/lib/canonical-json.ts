/** Canonical JSON: sorted keys, without undefined values. */
export const canonical = (value: unknown): string => JSON.stringify(inOrder(value));

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, its]) => its !== undefined);
  entries.sort(([one], [other]) => (one < other ? -1 : 1));
  // Pairs, not an object, which would put numeric keys first.
  return entries.map(([key, its]) => [key, inOrder(its)]);
}
