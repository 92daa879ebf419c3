/** Stores equal strings of many objects once. The objects of a fleet repeat image names, labels and reasons thousands of times. */
export class SharedTexts {
  readonly #texts = new Map<string, string>();

  /** Replaces the strings in a tree of plain objects and arrays. */
  share(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    const fields = value as Record<string, unknown>;
    for (const key in fields) {
      const field = fields[key];
      if (typeof field === 'string') fields[key] = this.#copyOf(field);
      else this.share(field);
    }
  }

  #copyOf(text: string): string {
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, text);
    return known ?? text;
  }
}
