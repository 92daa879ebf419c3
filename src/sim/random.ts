/** Made-up values that stay the same for the same seed: GUIDs, MAC addresses, names. */
export class Random {
  readonly #seed: string;
  #state: number;

  constructor(seed: string) {
    this.#seed = seed;
    this.#state = hash(seed);
  }

  /** Values of their own for a part: what one part draws does not shift another's. */
  for(part: string): Random {
    return new Random(`${this.#seed}/${part}`);
  }

  /** mulberry32: small, fast, good enough for names. */
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

  /** A GUID as HNS writes it. */
  guid(): string {
    return this.uuid().toUpperCase();
  }

  /** A MAC address in lower case with colons, after a prefix such as `00:15:5d`. */
  mac(prefix: string): string {
    const missing = 6 - prefix.split(':').length;
    return [prefix, ...Array.from({length: missing}, () => this.hex(2))].join(':');
  }

  /** The letters that Kubernetes makes names of: none that spell words. */
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
