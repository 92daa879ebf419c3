import ipaddr from 'ipaddr.js';
import {WinError} from '../../lib/errors.js';
import {normalMac} from '../../snapshot/values.js';
import {userPattern} from './adapter-pattern.js';
import type {AdapterRule} from './choose-adapter.js';

/** Which nodes, and what to do with them. */
export type Request = {readonly names: readonly string[]; readonly selector: string | undefined} & (
  | {readonly what: 'show'}
  | {readonly what: 'remove'}
  | {readonly what: 'pick'}
  | {readonly what: 'set'; readonly rule: AdapterRule}
  | {readonly what: 'list'; readonly file: string}
);

export interface RequestFlags {
  readonly selector?: string | undefined;
  readonly all: boolean;
  readonly cidr?: string | undefined;
  readonly match?: string | undefined;
  readonly 'mac-prefix'?: string | undefined;
  readonly 'from-file'?: string | undefined;
  readonly remove: boolean;
  readonly show: boolean;
}

/** Whether neither a node nor a rule was given; with a terminal the user then picks a node. */
export function namesNoNode(words: readonly string[], flags: RequestFlags): boolean {
  const {selector, all, show, remove, cidr, match, 'mac-prefix': mac, 'from-file': file} = flags;
  return (
    words.length === 0 &&
    !all &&
    !show &&
    !remove &&
    [selector, cidr, match, mac, file].every(flag => flag === undefined)
  );
}

/** What the words and flags ask for. */
export function requestOf(words: readonly string[], flags: RequestFlags): Request {
  const {selector, all} = flags;
  const many = all || selector !== undefined;
  if (all && selector !== undefined) throw usage('--all and a selector cannot be combined.');
  if (flags['from-file'] !== undefined) {
    if (many || words.length > 0) throw usage('--from-file cannot be combined with node names, a selector or --all.');
    return {what: 'list', file: flags['from-file'], names: [], selector};
  }
  const rule = ruleOf(flags);
  if (rule || flags.show || flags.remove) {
    if (many && words.length > 0) throw usage('Node names cannot be combined with --all or a selector.');
    const names = words.map(bare);
    if (flags.show) return {what: 'show', names, selector};
    if (!many && words.length === 0) throw usage('No node specified.', 'Name nodes, or pass -l SELECTOR or --all.');
    return rule ? {what: 'set', rule, names, selector} : {what: 'remove', names, selector};
  }
  return many ? sameOnMany(words, selector) : oneNode(words);
}

function sameOnMany(words: readonly string[], selector: string | undefined): Request {
  const [adapter] = words;
  if (!adapter || words.length > 1) {
    throw usage(
      'Several nodes require one adapter name or a rule.',
      'Pass --cidr, --match or --mac-prefix, or the name that the adapter has on all of them.',
    );
  }
  return {what: 'set', rule: {by: 'name', adapter}, names: [], selector};
}

function oneNode([node, adapter, ...more]: readonly string[]): Request {
  if (!node) throw usage('No node specified.', 'kubectl win annotate-tunnel NODE [ADAPTER], or see --help');
  if (more.length > 0) {
    throw usage('Expected one node and one adapter.', 'Quote names that contain spaces: "Ethernet 2".');
  }
  const names = [bare(node)];
  if (adapter === undefined) return {what: 'pick', names, selector: undefined};
  if (adapter === '') throw usage('The adapter name is empty.', 'Remove the annotation with --remove.');
  return {what: 'set', rule: {by: 'name', adapter}, names, selector: undefined};
}

function ruleOf({cidr, match, 'mac-prefix': mac}: RequestFlags): AdapterRule | undefined {
  if (cidr !== undefined) {
    if (!ipaddr.IPv4.isValidCIDR(cidr)) {
      throw usage(`--cidr ${cidr} is not an IPv4 CIDR.`, 'Write it as 10.20.0.0/16.');
    }
    return {by: 'cidr', cidr};
  }
  if (mac !== undefined) {
    if (!/^[0-9a-f]{2}([:-]?[0-9a-f]{2}){0,5}$/i.test(mac)) {
      throw usage(`--mac-prefix ${mac} is not a MAC address prefix.`, 'Write it as 00:15:5d.');
    }
    return {by: 'mac-prefix', prefix: normalMac(mac)};
  }
  return match === undefined ? undefined : {by: 'match', pattern: userPattern(match)};
}

/** As in kubectl, `node/win-1` is accepted for win-1. */
const bare = (name: string) => name.replace(/^(nodes?|no)\//, '');

const usage = (message: string, ...next: string[]) => new WinError(message, {next});
