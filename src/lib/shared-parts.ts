/** After so many different parts, those that have not repeated are forgotten: most parts never do. */
const many = 2000;

interface Part {
  readonly part: object;
  /** Stands for the part in the key of what contains it. */
  readonly number: number;
  repeated: boolean;
}

/** Returns a value that is made of stored parts. */
export interface Parts {
  of<Value>(value: Value): Value;
}

/** Stores nothing: for values that are used and then released. */
export const unshared: Parts = {of: value => value};

/**
 * Stores equal strings, and equal parts of plain objects and arrays, once. The objects of a fleet repeat image names,
 * labels, conditions and containers thousands of times. Shared parts are frozen: a change would apply to every owner.
 */
export class SharedParts implements Parts {
  /** Numbers keep the keys of parts short, however long their texts are. */
  readonly #numbersOfTexts = new Map<string, number>();
  readonly #texts: string[] = [];
  readonly #parts = new Map<string, Part>();
  /** Only for shared parts that are given again; the others are found by their key. */
  readonly #numbersOfParts = new WeakMap<object, number>();
  #count = 0;
  /** The key of the last value, as part of the key of what contains it. Undefined: what contains it occurs only once. */
  #key: string | undefined;

  /** The same value made of shared parts. Its own parts are replaced. */
  of<Value>(value: Value): Value {
    return this.#of(value) as Value;
  }

  #of(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null) {
      this.#key = typeof value === 'function' ? undefined : `${String(value)},`;
      return value;
    }
    if (isPlain(value)) return this.#part(value);
    const number = this.#numbersOfParts.get(value);
    this.#key = number === undefined ? undefined : `#${number},`;
    return value;
  }

  #text(text: string): string {
    const number = this.#numberOf(text);
    this.#key = `"${number},`;
    return this.#texts[number] as string;
  }

  #numberOf(text: string): number {
    const known = this.#numbersOfTexts.get(text);
    if (known !== undefined) return known;
    this.#numbersOfTexts.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }

  #part(part: Record<string, unknown>): object {
    let key: string | undefined = Array.isArray(part) ? '[' : '{';
    // Not `for in`: V8 compiles such a loop again each time that writing a field changes the type of the object.
    for (const name of Object.keys(part)) {
      const before = part[name];
      const field = this.#of(before);
      if (field !== before) part[name] = field;
      key = key === undefined || this.#key === undefined ? undefined : `${key}${this.#numberOf(name)}:${this.#key}`;
    }
    if (key !== undefined) return this.#shared(key, part);
    this.#key = undefined;
    return part;
  }

  #shared(key: string, part: object): object {
    const known = this.#parts.get(key);
    if (known) {
      known.repeated = true;
      this.#key = `#${known.number},`;
      return known.part;
    }
    if (this.#parts.size >= many) this.#forget();
    const number = this.#count++;
    this.#parts.set(key, {part, number, repeated: false});
    this.#numbersOfParts.set(part, number);
    this.#key = `#${number},`;
    return Object.freeze(part);
  }

  #forget(): void {
    for (const [key, part] of this.#parts) {
      if (part.repeated) part.repeated = false;
      else this.#parts.delete(key);
    }
  }
}

function isPlain(value: object): value is Record<string, unknown> {
  const prototype = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === Array.prototype) && !Object.isFrozen(value);
}
