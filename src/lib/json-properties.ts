/** Parses JSON, also with a byte-order mark as written by PowerShell; undefined if it is not valid. */
export function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** A property, ignoring case: CNI plugins and flanneld are Go programs, which ignore it too. */
export function property(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const key = Object.keys(value).find(candidate => candidate.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : (value as Record<string, unknown>)[key];
}

export function textProperty(value: unknown, name: string): string | undefined {
  const found = property(value, name);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

export function listProperty(value: unknown, name: string): readonly unknown[] {
  const found = property(value, name);
  return Array.isArray(found) ? found : [];
}
