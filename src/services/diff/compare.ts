import {byRootCause} from '../../diagnose/root-causes.js';
import type {NodeSubject} from '../../model/check.js';
import type {Result} from '../../model/result.js';
import type {Evidence} from '../../model/verdict.js';
import {ownValuesOf} from './own-values.js';
import {comparedSections, type Trait, type TraitSection, traitsOf} from './traits.js';

/** One difference between two nodes. */
export interface Difference {
  readonly section: TraitSection;
  readonly object: string;
  readonly field?: string;
  /** Undefined if that side does not have it. */
  readonly left?: string;
  readonly right?: string;
  /** Failed checks of either node that name this object. */
  readonly findings: readonly string[];
}

/** A section that could not be compared, and why. */
export interface Uncompared {
  readonly section: string;
  readonly node: string;
  readonly reason: string;
}

/** A node with the results of its checks. */
export interface Side {
  readonly subject: NodeSubject;
  readonly results: readonly Result[];
}

export interface Comparison {
  /** Most significant first. */
  readonly differences: readonly Difference[];
  readonly uncompared: readonly Uncompared[];
}

/** Compares two nodes by meaning: values unique to each node are ignored. A section that one of them lacks is not compared. */
export function compareNodes(left: Side, right: Side): Comparison {
  const uncompared = [...unreadOf(left), ...unreadOf(right)];
  const missing = new Set(uncompared.map(({section}) => section));
  const found = differencesOf(traitMap(left, missing), traitMap(right, missing), [left, right]);
  const [ours, theirs] = [unnamedFindings(left, [right], found), unnamedFindings(right, [left], found)];
  const mirrored = theirs.map(({difference: {left: message = '', right: fine = '', ...rest}, weight}) => ({
    difference: {...rest, left: fine, right: message},
    weight,
  }));
  return {differences: mostSignificantFirst([...found, ...ours, ...mirrored]), uncompared};
}

/** Compares a node with what most of its peers have. */
export function compareWithPeers(node: Side, peers: readonly Side[]): Comparison {
  const uncompared = unreadOf(node);
  const missing = new Set(uncompared.map(({section}) => section));
  const all = peers.map(peer => {
    const unread = new Set(unreadOf(peer).map(({section}) => section));
    return {unread, traits: traitMap(peer, missing)};
  });
  const majority: Traits = new Map();
  for (const key of new Set(all.flatMap(({traits}) => [...traits.keys()]))) {
    const section = key.split('\n')[0] ?? '';
    const asked = all.filter(({unread}) => !unread.has(section)).map(({traits}) => traits.get(key));
    const common = mostCommon(asked);
    if (common) majority.set(key, common);
  }
  // A section that was read on no peer cannot be compared.
  const blind = new Set(comparedSections.filter(section => all.every(({unread}) => unread.has(section))) as string[]);
  const own = new Map([...traitMap(node, missing)].filter(([key]) => !blind.has(key.split('\n')[0] ?? '')));
  for (const key of contestedKeys(all.map(({traits}) => traits))) own.delete(key);
  const found = differencesOf(own, majority, [node]);
  return {differences: mostSignificantFirst([...found, ...unnamedFindings(node, peers, found)]), uncompared};
}

interface Weighed {
  readonly difference: Difference;
  readonly weight: number;
}

const mostSignificantFirst = (found: readonly Weighed[]): Difference[] =>
  found.toSorted((one, other) => other.weight - one.weight).map(({difference}) => difference);

/**
 * Findings that only this node has and that no differing value shows: two values of the node may contradict each other,
 * or a service may not answer. Consequences of other findings are left out.
 */
function unnamedFindings({results}: Side, others: readonly Side[], found: readonly Weighed[]): Weighed[] {
  const named = new Set(found.flatMap(({difference}) => difference.findings));
  return byRootCause(results)
    .map(({root}) => root)
    .filter(({id}) => !named.has(id) && others.filter(other => isFine(other, id)).length * 2 > others.length)
    .map(({id, title, message, evidence, severity}) => ({
      difference: {
        section: evidence.map(({section}) => section).find(isCompared) ?? 'node',
        object: title,
        left: message,
        right: 'OK',
        findings: [id],
      },
      weight: severity === 'error' ? 18 : 5,
    }));
}

/** An undetermined result does not count as passed. */
const isFine = ({results}: Side, id: string) =>
  results.every(result => result.id !== id || (result.outcome !== 'fail' && result.outcome !== 'unknown'));

const isCompared = (section: string): section is TraitSection => (comparedSections as string[]).includes(section);

interface Compared {
  readonly trait: Trait;
  /** Its value, with values unique to the node replaced by placeholders. */
  readonly compared: string;
}

type Traits = Map<string, Compared>;

function traitMap({subject}: Side, missing: ReadonlySet<string>): Traits {
  const own = ownValuesOf(subject);
  const traits = traitsOf(subject, own).filter(({section}) => !missing.has(section));
  // Several values of one object (two addresses of an adapter, a route in two stores) are compared as a set.
  const keyOf = ({section, object, field}: Trait) => `${section}\n${own(object)}\n${own(field)}`;
  return new Map(
    Array.from(Map.groupBy(traits, keyOf), ([key, group]) => {
      const [first] = group as [Trait];
      const values = [...new Set(group.map(({value}) => value))].sort();
      const compared = [...new Set(group.map(({value, meaning = value}) => own(meaning)))].sort().join(', ');
      return [key, {trait: {...first, value: values.join(', ')}, compared}];
    }),
  );
}

function differencesOf(ours: Traits, theirs: Traits, sides: readonly Side[]): Weighed[] {
  const [ourObjects, theirObjects] = [ours, theirs].map(objectsOf) as [Set<string>, Set<string>];
  return [...new Set([...ours.keys(), ...theirs.keys()])].flatMap(key => {
    const [one, other] = [ours.get(key), theirs.get(key)];
    const some = one ?? other;
    if (!some || one?.compared === other?.compared) return [];
    const {section, object, field, weight} = some.trait;
    const place = key.slice(0, key.lastIndexOf('\n'));
    // If only one side has the object, report the object, not each of its fields.
    const isCoveredByObject = field !== '' && (one ? ours : theirs).has(`${place}\n`);
    if (!(one && other) && isCoveredByObject && !(one ? theirObjects : ourObjects).has(place)) return [];
    const findings = findingsOn({section, object}, sides);
    const difference: Difference = {
      ...{section, object, ...(field !== '' && {field})},
      ...(one && {left: one.trait.value}),
      ...(other && {right: other.trait.value}),
      findings,
    };
    return [{difference, weight: weight + (findings.length > 0 ? 10 : 0)}];
  });
}

function objectsOf(traits: Traits): Set<string> {
  return new Set(Array.from(traits.keys(), key => key.slice(0, key.lastIndexOf('\n'))));
}

/** The value that more than half of the peers have, if any. */
function mostCommon(values: readonly (Compared | undefined)[]): Compared | undefined {
  const groups = [...Map.groupBy(values, value => value?.compared).values()];
  const largest = groups.find(group => group.length * 2 > values.length);
  return largest?.[0];
}

/** Keys for which the peers have no majority, so that a node cannot differ from them. */
function contestedKeys(peers: readonly Traits[]): Set<string> {
  const keys = new Set(peers.flatMap(traits => [...traits.keys()]));
  return new Set(
    [...keys].filter(key => {
      const values = peers.map(traits => traits.get(key)?.compared);
      return ![...Map.groupBy(values, value => value).values()].some(group => group.length * 2 > peers.length);
    }),
  );
}

function unreadOf({subject}: Side): Uncompared[] {
  const {node} = subject;
  return comparedSections.flatMap(section => {
    if (node[section] !== undefined) return [];
    const failure = node.errors[section];
    // A node without Open vSwitch was read completely: that is a difference, not a gap.
    if (failure?.kind === 'NotInstalled') return [];
    return [{section, node: node.name, reason: failure?.message || failure?.kind || 'not collected'}];
  });
}

function findingsOn({section, object}: Pick<Difference, 'section' | 'object'>, sides: readonly Side[]): string[] {
  const named = sides.flatMap(({results}) =>
    results
      .filter(({outcome}) => outcome === 'fail')
      .filter(({evidence}) => evidence.some(one => isAbout(one, {section, object})))
      .map(({id}) => id),
  );
  return [...new Set(named)];
}

function isAbout(evidence: Evidence, {section, object}: Pick<Difference, 'section' | 'object'>): boolean {
  if (section !== 'node') return evidence.section === section && isSameObject(object, evidence.object);
  return evidence.section === 'cluster' && object === `annotation ${evidence.field}`;
}

/** `HNS network antrea-hnsnetwork` and `antrea-hnsnetwork` are the same object; so are `Bridge br-int` and `OVS bridge br-int`. */
function isSameObject(one: string, other: string): boolean {
  const [words, names] = [one, other].map(text => text.toLowerCase().split(' ')) as [string[], string[]];
  const last = names.at(-1);
  return last !== undefined && last !== '' && words.includes(last);
}
