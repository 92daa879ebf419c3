const most = 20_000;

/**
 * Caches the results of a function by its argument: nodes of a fleet have the same paths, and each other's addresses. Only
 * for functions that depend on nothing else.
 */
export function remembered<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return text => {
    const before = known.get(text);
    if (before !== undefined || known.has(text)) return before as T;
    if (known.size >= most) known.clear();
    const made = make(text);
    known.set(text, made);
    return made;
  };
}
