import {names} from '../../lib/names.js';
import {resolve} from '../../plugins/annotated-tunnel.js';
import {contains} from '../../snapshot/addresses.js';
import {same} from '../../snapshot/hns.js';
import type {AdapterCandidate} from './adapter-candidates.js';
import {matching} from './adapter-pattern.js';
import type {ChoosableNode} from './choosable-node.js';

/** How the adapter of a node is selected. */
export type AdapterRule =
  | {readonly by: 'name'; readonly adapter: string}
  | {readonly by: 'cidr'; readonly cidr: string}
  | {readonly by: 'match'; readonly pattern: RegExp}
  /** Lower case, with colons. */
  | {readonly by: 'mac-prefix'; readonly prefix: string};

export type Choice = {readonly candidate: AdapterCandidate} | {readonly refusal: string};

/** The adapter that a rule selects, if it can carry tunnels. */
export function choose(seen: ChoosableNode, candidates: readonly AdapterCandidate[], rule: AdapterRule): Choice {
  if (rule.by === 'name') return named(seen, candidates, rule.adapter);
  const nics = candidates.filter(({physical}) => physical);
  const fitting = nics.filter(fits(rule, nics));
  const [only] = fitting;
  if (!only) return {refusal: `no adapter matches ${text(rule)}; adapters: ${told(nics)}`};
  if (fitting.length > 1) return {refusal: `${fitting.length} adapters match ${text(rule)}: ${told(fitting)}`};
  if (rule.by === 'cidr' && only.unsuitable === undefined && !contains(rule.cidr, only.tunnelAddress)) {
    return {
      refusal: `kube-ovn would use the address ${only.tunnelAddress} of ${only.name}, which is not in ${rule.cidr}`,
    };
  }
  return suitable(only);
}

function fits(
  rule: Exclude<AdapterRule, {by: 'name'}>,
  nics: readonly AdapterCandidate[],
): (candidate: AdapterCandidate) => boolean {
  if (rule.by === 'cidr') return ({addresses}) => addresses.some(({ip}) => contains(rule.cidr, ip));
  if (rule.by === 'mac-prefix') return ({mac}) => mac?.startsWith(rule.prefix) ?? false;
  const matched = matching(
    rule.pattern,
    nics.map(({name}) => name),
  );
  return ({name}) => matched.includes(name);
}

function named({node}: ChoosableNode, candidates: readonly AdapterCandidate[], adapter: string): Choice {
  const found = candidates.find(({name}) => name === adapter);
  if (found) return suitable(found);
  const otherCase = candidates.find(({name}) => same(name, adapter));
  if (otherCase) return {refusal: `the adapter's name is "${otherCase.name}", and kube-ovn is case-sensitive`};
  const {adapters} = resolve(adapter, node);
  const there = told(candidates.filter(({physical}) => physical));
  if (adapters.length === 0) return {refusal: `adapter "${adapter}" does not exist; adapters: ${there}`};
  return {
    refusal: `adapter "${adapter}" does not exist; kube-ovn would use the name as a pattern, which matches ${names(adapters)}`,
  };
}

function suitable(candidate: AdapterCandidate): Choice {
  const {name, unsuitable} = candidate;
  return unsuitable === undefined ? {candidate} : {refusal: `${name} cannot carry tunnels: ${unsuitable}`};
}

function told(candidates: readonly AdapterCandidate[]): string {
  const each = candidates.map(({name, addresses}) => `${name} (${addresses[0]?.ip ?? 'no address'})`);
  return names(each) || 'no physical adapter';
}

function text(rule: Exclude<AdapterRule, {by: 'name'}>): string {
  if (rule.by === 'cidr') return `--cidr ${rule.cidr}`;
  return rule.by === 'match' ? `--match ${rule.pattern.source}` : `--mac-prefix ${rule.prefix}`;
}
