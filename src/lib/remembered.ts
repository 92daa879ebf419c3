const most = 20_000;

/**
 * What a function makes of a text, kept for the next time: nodes of a fleet name the same paths, and the addresses of each
 * other. For functions that depend on the text alone.
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
