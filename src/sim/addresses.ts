import ipaddr from 'ipaddr.js';

export interface SubnetRange {
  network: string;
  prefix: number;
}

export function parseSubnet(text: string): SubnetRange {
  const [address, prefix] = ipaddr.IPv4.parseCIDR(text);
  return {network: ipaddr.IPv4.networkAddressFromCIDR(`${address}/${prefix}`).toString(), prefix};
}

export function offset(address: string, places: number): string {
  const value = ipaddr.IPv4.parse(address)
    .toByteArray()
    .reduce((sum, byte) => sum * 256 + byte, 0);
  const moved = value + places;
  return [24, 16, 8, 0].map(shift => Math.floor(moved / 2 ** shift) % 256).join('.');
}

/** The n-th address of a subnet. Plugins use the first as the gateway. */
export const host = (subnet: string, number: number): string => offset(parseSubnet(subnet).network, number);

export function broadcast(address: string, prefix: number): string {
  return ipaddr.IPv4.broadcastAddressFromCIDR(`${address}/${prefix}`).toString();
}

export function networkOf(address: string, prefix: number): string {
  return `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/${prefix}`).toString()}/${prefix}`;
}

/** Four bytes in hex with a separator: plugins derive MAC addresses from IP addresses this way. */
export const hexAddress = (address: string, separator: string): string =>
  address
    .split('.')
    .map(part => Number(part).toString(16).padStart(2, '0'))
    .join(separator);

export const contains = (subnet: string, address: string): boolean =>
  ipaddr.IPv4.isValid(address) && ipaddr.IPv4.parse(address).match(ipaddr.IPv4.parseCIDR(subnet));
