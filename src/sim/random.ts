/** Generated GUIDs, MAC addresses and names. The same seed gives the same values. */
export class Random {
  readonly #seed: string;
  #state: number;

  constructor(seed: string) {
    this.#seed = seed;
    this.#state = hash(seed);
  }

  /** A separate sequence for a part, so values drawn for one part do not shift those of another. */
  for(part: string): Random {
    return new Random(`${this.#seed}/${part}`);
  }

  /** mulberry32: small, fast, and good enough for names. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  int(from: number, to: number): number {
    return from + Math.floor(this.#next() * (to - from + 1));
  }

  pick(alphabet: string, length: number): string {
    let picked = '';
    while (picked.length < length) picked += alphabet[this.int(0, alphabet.length - 1)];
    return picked;
  }

  hex(length: number): string {
    return this.pick('0123456789abcdef', length);
  }

  uuid(): string {
    return `${this.hex(8)}-${this.hex(4)}-4${this.hex(3)}-${this.pick('89ab', 1)}${this.hex(3)}-${this.hex(12)}`;
  }

  guid(): string {
    return this.uuid().toUpperCase();
  }

  /** A lower-case MAC address with colons, starting with a prefix such as `00:15:5d`. */
  mac(prefix: string): string {
    const missing = 6 - prefix.split(':').length;
    return [prefix, ...Array.from({length: missing}, () => this.hex(2))].join(':');
  }

  /** The alphabet of generated Kubernetes names: without vowels, so they spell no words. */
  suffix(length: number): string {
    return this.pick('bcdfghjklmnpqrstvwxz2456789', length);
  }
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}

export const dashed = (mac: string): string => mac.replaceAll(':', '-').toUpperCase();
