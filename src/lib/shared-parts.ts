/** After so many different parts, those that have not repeated are forgotten: most parts never do. */
const many = 2000;

interface Part {
  readonly part: object;
  repeated: boolean;
}

/**
 * Stores equal strings, and equal parts of plain objects and arrays, once. The objects of a fleet repeat image names,
 * labels, conditions and containers thousands of times. Shared parts are frozen: a change would apply to every owner.
 */
export class SharedParts {
  readonly #texts = new Map<string, string>();
  readonly #parts = new Map<string, Part>();
  /** Numbers of shared parts: a part that contains them is compared by these numbers, not by their content. */
  readonly #numbers = new WeakMap<object, number>();
  #count = 0;

  /** The same value made of shared parts. Its own parts are replaced. */
  of<Value>(value: Value): Value {
    if (typeof value === 'string') return this.#text(value) as Value;
    return isPlain(value) ? (this.#part(value) as Value) : value;
  }

  #text(text: string): string {
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, text);
    return known ?? text;
  }

  #part(part: Record<string, unknown>): object {
    let key: string | undefined = Array.isArray(part) ? '[' : '{';
    for (const name in part) {
      const field = this.of(part[name]);
      part[name] = field;
      const own = this.#keyOf(field);
      key = key === undefined || own === undefined ? undefined : `${key}${sized(name)}${own}`;
    }
    return key === undefined ? part : this.#shared(key, part);
  }

  #shared(key: string, part: object): object {
    const known = this.#parts.get(key);
    if (known) {
      known.repeated = true;
      return known.part;
    }
    if (this.#parts.size >= many) this.#forget();
    this.#parts.set(key, {part, repeated: false});
    this.#numbers.set(part, this.#count++);
    return Object.freeze(part);
  }

  #forget(): void {
    for (const [key, part] of this.#parts) {
      if (part.repeated) part.repeated = false;
      else this.#parts.delete(key);
    }
  }

  /** Undefined if the field is neither a primitive value nor shared: then what contains it occurs only once. */
  #keyOf(field: unknown): string | undefined {
    if (typeof field === 'string') return `"${sized(field)}`;
    if (typeof field === 'function') return undefined;
    if (typeof field !== 'object' || field === null) return `${String(field)},`;
    const number = this.#numbers.get(field);
    return number === undefined ? undefined : `#${number},`;
  }
}

/** With its length, so that no text can be written to look like other fields. */
const sized = (text: string): string => `${text.length}:${text}`;

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype;
}
