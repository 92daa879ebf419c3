import type {NodeSubject} from '../../model/check.js';
import {contains} from '../../snapshot/addresses.js';
import {internalIps, podCidr} from '../../snapshot/cluster.js';

/** Replaces values that are unique to a node (its name, addresses, ids) with placeholders for their meaning. */
export type OwnValues = (text: string) => string;

const guids = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi;
const macs = /\b[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}\b/gi;
const sandboxes = /\b[0-9a-f]{24,64}\b/gi;
const addresses = /\b(?:\d{1,3}\.){3}\d{1,3}\b(?:\/\d{1,2}\b)?/g;

/** Two nodes always differ in these values. Comparing them would hide the differences that matter. */
export function ownValuesOf({node, object, plugin}: NodeSubject): OwnValues {
  const ips = new Set(internalIps(object));
  // Some plugins do not use the pod CIDR that Kubernetes assigned to the node.
  const cidrs = [plugin.profile.podSubnet, podCidr(object)].filter(one => one !== undefined);
  const name = object?.metadata.name ?? node.name;
  const names = [name, node.os?.hostName].filter(one => one !== undefined && one !== '') as string[];
  const address = (text: string): string => {
    const [ip = text, length] = text.split('/');
    if (ips.has(ip)) return length === undefined ? '<node address>' : `<node address>/${length}`;
    if (cidrs.includes(text)) return '<pod CIDR>';
    const cidr = cidrs.find(one => contains(one, ip));
    if (cidr === undefined) return text;
    return isGateway(cidr, ip) ? '<pod gateway>' : '<pod address>';
  };
  return text =>
    replaceNames(text, names)
      .replace(guids, '<id>')
      .replace(macs, '<MAC>')
      .replace(sandboxes, '<id>')
      .replace(addresses, address);
}

/** Every plugin uses one of the first two addresses of a pod CIDR for the gateway. */
function isGateway(cidr: string, ip: string): boolean {
  const network = cidr.split('/')[0]?.split('.').map(Number);
  const last = ip.split('.').map(Number);
  return network?.slice(0, 3).join() === last.slice(0, 3).join() && (last[3] ?? 0) - (network?.[3] ?? 0) <= 2;
}

function replaceNames(text: string, names: readonly string[]): string {
  return names.reduce((all, name) => {
    const pattern = new RegExp(`(?<![\\w-])${escaped(name)}(?![\\w-])`, 'gi');
    return all.replace(pattern, '<node>');
  }, text);
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
