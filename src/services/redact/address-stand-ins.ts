import {createHmac} from 'node:crypto';

/**
 * Replaces addresses with stand-ins. Addresses that share a prefix get stand-ins that share one too, so subnets stay
 * subnets and an address stays in its subnet. The last octet is kept: a gateway stays the first address of its block.
 * Addresses with a fixed meaning (loopback, link-local, multicast, masks) are kept.
 */
export class AddressStandIns {
  readonly #key: Buffer;
  readonly #known = new Map<string, string>();

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** How many different addresses were replaced. */
  get size(): number {
    return this.#known.size;
  }

  in(text: string): string {
    return text
      .replace(ipv4, (match, ip: string, length: string | undefined) => this.#v4(match, ip, length))
      .replace(ipv6, match => this.#v6(match));
  }

  #v4(match: string, ip: string, length: string | undefined): string {
    const octets = ip.split('.').map(Number);
    if (octets.some(octet => octet > 255) || Number(length ?? 0) > 32 || isCommon(octets)) return match;
    const first =
      octets[0] === 192 && octets[1] === 168 ? 16 : octets[0] === 172 && isBetween(octets[1], 16, 31) ? 12 : 8;
    const bits = octets.flatMap(bitsOf);
    // The host part of a subnet is zero and stays zero; the host part of an address with a prefix length is mapped.
    const isSubnet = length !== undefined && bits.slice(Number(length)).every(bit => bit === 0);
    const kept = isSubnet ? Number(length) : 32;
    const mapped = bits.map((bit, i) => {
      if (i < first || i >= 24 || i >= kept) return bit;
      // A third octet of 0 stays 0, so that the first addresses of a large subnet stay recognisable.
      const isZeroSoFar = first < 16 && i >= 16 && bits.slice(16, i).every(one => one === 0);
      // The first bit is always inverted, so that no address is its own stand-in.
      return i === first ? 1 - bit : isZeroSoFar ? bit : bit ^ this.#coin(bits.slice(0, i));
    });
    const standIn = [0, 8, 16, 24].map(at => Number.parseInt(mapped.slice(at, at + 8).join(''), 2)).join('.');
    this.#known.set(ip, standIn);
    return length === undefined ? standIn : `${standIn}/${length}`;
  }

  /** Replaces the second 32 bits of an IPv6 address, which identify the site and the subnet. */
  #v6(match: string): string {
    if (/^(?:::1?$|fe[89ab]|fec0|ff)/i.test(match)) return match;
    const groups = expanded(match);
    if (!groups) return match;
    const mixed = groups.map((group, i) => {
      if (i !== 2 && i !== 3) return group;
      const digest = this.#digest(groups.slice(0, i).join(':'));
      return ((Number.parseInt(group, 16) ^ digest.readUInt16BE(0)) & 0xffff).toString(16);
    });
    const standIn = mixed.map(group => Number.parseInt(group, 16).toString(16)).join(':');
    this.#known.set(match, standIn);
    return standIn;
  }

  #coin(prefix: readonly number[]): number {
    return (this.#digest(prefix.join(''))[0] ?? 0) & 1;
  }

  #digest(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest();
  }
}

const ipv4 = /(?<![\w.-])((?:\d{1,3}\.){3}\d{1,3})(?:\/(\d{1,2}))?(?![\w-]|\.\d)/g;
const ipv6 =
  /(?<![\w:.])(?:[0-9a-f]{1,4}:){2,7}(?::?[0-9a-f]{1,4}){0,6}(?![\w:])|(?<![\w:.])(?:[0-9a-f]{1,4}:){1,6}:(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*)?(?![\w:])/gi;

/** Loopback, link-local, multicast, broadcast, unspecified, masks. */
function isCommon([a = 0, b = 0, c = 0, d = 0]: readonly number[]): boolean {
  if (a === 0 || a === 127 || a >= 224) return true;
  return (a === 169 && b === 254) || (a === 255 && [b, c, d].every(octet => octet === 0 || octet === 255));
}

const isBetween = (value: number | undefined, low: number, high: number) =>
  value !== undefined && value >= low && value <= high;

const bitsOf = (octet: number): number[] => Array.from({length: 8}, (_, i) => (octet >> (7 - i)) & 1);

/** The eight groups of an address; undefined for text that only resembles one, such as a time or a MAC address. */
function expanded(text: string): string[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map(half => half.split(':').filter(group => group !== ''));
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  return [...head, ...Array.from({length: missing}, () => '0'), ...tail];
}
