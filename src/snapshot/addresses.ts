import ipaddr from 'ipaddr.js';
import {remembered} from '../lib/remembered.js';

// Addresses come from nodes and annotations: these functions do not throw on text that is not an address.

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Block = readonly [Address, number];

// Cached because parsing an address is slow.
const readIp = remembered((ip): Address | undefined => (ipaddr.isValid(ip) ? ipaddr.parse(ip) : undefined));
const readCidr = remembered((cidr): Block | undefined =>
  ipaddr.isValidCIDR(cidr) ? ipaddr.parseCIDR(cidr) : undefined,
);
const fourPartDecimal = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

const parseIp = (ip: string | undefined) => (ip === undefined ? undefined : readIp(ip));
const parseCidr = (cidr: string | undefined) => (cidr === undefined ? undefined : readCidr(cidr));

export function contains(cidr: string | undefined, ip: string | undefined): boolean {
  // Cheaper than parsing: every node has IPv6 routes of its own.
  if (cidr?.includes(':') !== ip?.includes(':')) return false;
  const block = parseCidr(cidr);
  const address = parseIp(ip);
  return (
    block !== undefined &&
    address !== undefined &&
    block[0].kind() === address.kind() &&
    address.match(block[0], block[1])
  );
}

/** Whether both describe the same block, for example 10.1.2.7/24 and 10.1.2.0/24. */
export function sameCidr(one: string | undefined, other: string | undefined): boolean {
  const first = networkPrefix(one);
  return first !== undefined && first === networkPrefix(other);
}

/** Groups items by their block in normal form; items without a valid block are left out. */
export function byNetwork<T>(things: readonly T[], cidrOf: (thing: T) => string | undefined): ReadonlyMap<string, T[]> {
  const found = new Map<string, T[]>();
  for (const thing of things) {
    const block = networkPrefix(cidrOf(thing));
    if (block === undefined) continue;
    const same = found.get(block);
    if (same) same.push(thing);
    else found.set(block, [thing]);
  }
  return found;
}

/** Whether the second block contains the whole first block. */
export function within(inner: string | undefined, outer: string | undefined): boolean {
  const block = parseCidr(inner);
  const around = parseCidr(outer);
  return block !== undefined && around !== undefined && around[1] <= block[1] && contains(outer, block[0].toString());
}

export function overlaps(one: string | undefined, other: string | undefined): boolean {
  return within(one, other) || within(other, one);
}

/** The n-th address of a block: the first of 10.1.2.0/24 is 10.1.2.1. IPv4 only. */
export function nthAddress(cidr: string | undefined, n: number): string | undefined {
  const start = networkPrefix(cidr)?.split('/')[0];
  if (start === undefined || !fourPartDecimal.test(start)) return undefined;
  const value = ipaddr.IPv4.parse(start).octets.reduce((sum, octet) => sum * 256 + octet, 0) + n;
  return [24, 16, 8, 0].map(shift => Math.floor(value / 2 ** shift) % 256).join('.');
}

export function isIpv4(ip: string | undefined): boolean {
  return ip !== undefined && fourPartDecimal.test(ip);
}

/** 169.254.0.0/16: what Windows assigns itself when no DHCP server answers. */
export function isLinkLocal(ip: string | undefined): boolean {
  return parseIp(ip)?.range() === 'linkLocal';
}

/** A block in its normal form: 10.1.2.7/24 is 10.1.2.0/24. */
export const networkPrefix = (cidr: string | undefined) => (cidr === undefined ? undefined : readNetworkPrefix(cidr));

const readNetworkPrefix = remembered((cidr): string | undefined => {
  const block = parseCidr(cidr);
  if (!block) return undefined;
  const [address, length] = block;
  const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${family.networkAddressFromCIDR(`${address.toString()}/${length}`).toString()}/${length}`;
});
