import {parseJson} from '../lib/json-properties.js';
import type {NodeSubject} from '../model/check.js';
import {manual, type Remedy} from '../model/remedies.js';
import type {Result} from '../model/result.js';

type About = Pick<NodeSubject, 'plugin'> & {readonly node: {readonly name: string}};

/** The state in which a remedy leaves one thing: a service, a route, a setting. */
interface Act {
  readonly thing: string;
  readonly state: string;
}

/** Two findings whose remedies leave one thing in two different states. */
export interface Contradiction {
  readonly thing: string;
  readonly kept: Result;
  readonly withdrawn: Result;
}

/**
 * Remedies of one node must not contradict each other. The finding that explains the other one, is more severe, or
 * comes first keeps its remedy. The other one advises what to repair first.
 * `elsewhere` are findings of the cluster, which the report shows together with those of the node.
 */
export function withAgreeingRemedies(
  results: readonly Result[],
  subject: About,
  elsewhere: readonly Result[] = [],
): Result[] {
  const yields = new Map(contradictions(results, subject, elsewhere).map(({kept, withdrawn}) => [withdrawn, kept]));
  return results.map(result => {
    const first = yields.get(result);
    if (!first) return result;
    return {
      ...result,
      remedy: manual(
        `Repair ${first.id} first (kubectl win explain ${first.id}), then run kubectl win doctor ${subject.node.name} again.`,
      ),
    };
  });
}

export function contradictions(
  results: readonly Result[],
  subject: About,
  elsewhere: readonly Result[] = [],
): Contradiction[] {
  const all = byPrecedence([...elsewhere, ...results].filter(({outcome, remedy}) => outcome === 'fail' && remedy));
  const settled = new Map<string, {state: string; by: Result}>();
  const found: Contradiction[] = [];
  for (const result of all) {
    const acts = actsOf(result.remedy, subject);
    const against = acts.find(({thing, state}) => (settled.get(thing)?.state ?? state) !== state);
    if (against) {
      found.push({thing: against.thing, kept: settled.get(against.thing)?.by ?? result, withdrawn: result});
      continue;
    }
    for (const {thing, state} of acts) if (!settled.has(thing)) settled.set(thing, {state, by: result});
  }
  return found;
}

/** Causes before what they explain, then errors before warnings; otherwise the order of the report. */
function byPrecedence(results: readonly Result[]): Result[] {
  const depth = new Map<string, number>();
  const depthOf = (id: string, path: readonly string[] = []): number => {
    const known = depth.get(id);
    if (known !== undefined || path.includes(id)) return known ?? 0;
    const causes = results.filter(result => result.id === id).flatMap(({causedBy = []}) => causedBy);
    const present = causes.filter(cause => results.some(result => result.id === cause));
    const own = present.length === 0 ? 0 : 1 + Math.max(...present.map(cause => depthOf(cause, [...path, id])));
    depth.set(id, own);
    return own;
  };
  const rank = ({severity}: Result) => (severity === 'error' ? 0 : 1);
  return [...results].sort((one, other) => depthOf(one.id) - depthOf(other.id) || rank(one) - rank(other));
}

/** What a remedy does, derived from its commands. If it acts on one thing several times, the last act counts. */
function actsOf(remedy: Remedy | undefined, subject: About): Act[] {
  if (!remedy) return [];
  const steps = remedy.kind === 'manual' ? remedy.steps : [remedy.first ?? '', remedy.command];
  const acts = steps.flatMap(step => [...rules.flatMap(rule => rule(step)), ...cleanupActs(step, subject)]);
  return [...new Map(acts.map(act => [act.thing, act])).values()];
}

const word = /(?:'(?:[^']|'')*'|"[^"]*"|[\w.()\\:/-]+)/.source;

/** One act for each match of a pattern in a step. */
function rule(pattern: RegExp, act: (groups: Record<string, string>) => Act | Act[]): (step: string) => Act[] {
  return step => [...step.matchAll(pattern)].flatMap(({groups}) => act((groups ?? {}) as Record<string, string>));
}

const bare = (text: string | undefined) => (text ?? '').replace(/^["']|["',;]$/g, '').toLowerCase();
const pattern = (text: string) => new RegExp(text, 'gi');

const rules: readonly ((step: string) => Act[])[] = [
  rule(pattern(`\\b(?<verb>Start|Restart|Stop)-Service (?<names>${word}(?:, ${word})*)`), ({verb, names}) =>
    (names ?? '').split(', ').map(name => ({
      thing: `service ${bare(name)}`,
      state: bare(verb) === 'stop' ? 'stopped' : 'running',
    })),
  ),
  rule(pattern(`\\bSet-Service (?<name>${word}) -StartupType (?<type>\\w+)`), ({name, type}) => ({
    thing: `service ${bare(name)}`,
    state: bare(type) === 'disabled' ? 'stopped' : 'running',
  })),
  rule(pattern(`\\bsc\\.exe delete (?<name>${word})`), ({name}) => ({
    thing: `service ${bare(name)}`,
    state: 'stopped',
  })),
  rule(
    pattern(`\\b(?<verb>Enable|Disable)-(?<noun>\\w+)[^|;]*? -(?:Task|Display)?Name (?<name>${word})`),
    ({verb, noun, name}) => ({thing: `${bare(noun)} ${bare(name)}`, state: bare(verb)}),
  ),
  rule(
    pattern(`Where-Object (?:Name|ID) -eq (?<name>${word}) \\| Remove-Hns(?<noun>Network|Endpoint)`),
    ({name, noun}) => ({thing: `hns ${bare(noun)} ${bare(name)}`, state: 'absent'}),
  ),
  rule(pattern(`\\bNew-Hns(?<noun>Network|Endpoint)[^|;]* -Name (?<name>${word})`), ({name, noun}) => ({
    thing: `hns ${bare(noun)} ${bare(name)}`,
    state: 'present',
  })),
  rule(
    pattern(
      `\\b(?<verb>New|Remove)-NetRoute[^|;]*? -DestinationPrefix (?<prefix>${word})[^|;]*? -NextHop (?<hop>${word})`,
    ),
    ({verb, prefix, hop}) => ({
      thing: `route ${bare(prefix)} via ${bare(hop)}`,
      state: bare(verb) === 'new' ? 'present' : 'absent',
    }),
  ),
  rule(
    pattern(
      `\\bSet-NetIPInterface -InterfaceAlias (?<name>${word})[^|;]*? -(?<what>NlMtuBytes|Forwarding|InterfaceMetric) (?<value>\\w+)`,
    ),
    ({name, what, value}) => ({thing: `${bare(what)} of ${bare(name)}`, state: bare(value)}),
  ),
  rule(pattern(`\\bbcdedit(?:\\.exe)? /set (?<what>\\w+) (?<value>\\w+)`), ({what, value}) => ({
    thing: `boot option ${bare(what)}`,
    state: bare(value),
  })),
  rule(
    pattern(`\\bkubectl win annotate-tunnel (?<node>${word}) (?<adapter>'[^']*'|[^-\\s]\\S*)`),
    ({node, adapter}) => ({
      thing: `tunnel adapter of ${bare(node)}`,
      state: bare(adapter),
    }),
  ),
  rule(
    pattern(`\\bkubectl (?<scope>-n \\S+ )?patch (?<kind>\\S+) (?<name>\\S+)[^']*? -p '(?<body>[^']*)'`),
    ({scope = '', kind, name, body}) =>
      leaves(parseJson(body)).map(({path, value}) => ({thing: `${scope}${kind}/${name} ${path}`, state: value})),
  ),
];

/** The tool's own repair starts the agent, which creates the pod network. */
function cleanupActs(step: string, {plugin}: About): Act[] {
  if (!/\bkubectl win cleanup\b/.test(step) || plugin.undetermined !== undefined) return [];
  const {agent, network} = plugin.profile;
  return [
    ...(agent?.services ?? []).map(name => ({thing: `service ${bare(name)}`, state: 'running'})),
    ...(network ? [{thing: `hns network ${bare(network.name)}`, state: 'present'}] : []),
  ];
}

function leaves(value: unknown, path = ''): {path: string; value: string}[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [{path, value: JSON.stringify(value) ?? ''}];
  return Object.entries(value).flatMap(([key, child]) => leaves(child, `${path}.${key}`));
}
