import {names} from '../../lib/names.js';
import {type Translation, translate, type WantedUplink} from '../../model/tunnel-setting.js';
import {contains} from '../../snapshot/addresses.js';
import {isWindows} from '../../snapshot/cluster.js';
import {matching} from './adapter-pattern.js';
import type {Wanted} from './decide-annotation.js';

/** The nodes of a plugin without the annotation, and its equivalent setting. */
export interface OtherPlugin {
  readonly nodes: readonly string[];
  readonly translation: Translation;
  /** Why `--apply` cannot change it and manual action is needed. */
  readonly unsafe: string | undefined;
}

export function otherPlugins(all: readonly Wanted[]): OtherPlugin[] {
  const groups = Map.groupBy(all, ({subject}) => subject.plugin.name);
  return [...groups.values()].flatMap(group => {
    const [first] = group;
    const wanted = wantedBy(group);
    const translation = first && translate(first.subject, wanted);
    if (!translation) return [];
    const nodes = group.map(({subject}) => subject.node.name);
    return [{nodes, translation, unsafe: translation.unsafe ?? (wanted ? obstacle(all, group, wanted) : undefined)}];
  });
}

/** The adapter name or CIDR for all nodes. A rule for names or MACs must select the same name on all of them. */
function wantedBy(group: readonly Wanted[]): WantedUplink {
  const targets = group.map(({subject, rule}): WantedUplink => {
    if (!rule || rule.by === 'cidr') return rule;
    if (rule.by === 'name') return rule;
    const nics = (subject.node.netAdapters ?? []).filter(({hardware}) => hardware);
    const fitting =
      rule.by === 'match'
        ? matching(
            rule.pattern,
            nics.map(({name}) => name),
          )
        : nics.filter(({mac}) => mac?.startsWith(rule.prefix)).map(({name}) => name);
    return fitting[0] !== undefined && fitting.length === 1 ? {by: 'name', adapter: fitting[0]} : undefined;
  });
  const [first] = targets;
  return targets.every(wanted => JSON.stringify(wanted) === JSON.stringify(first)) ? first : undefined;
}

/** A setting for all Windows nodes must fit all of them, including those that were not named. */
function obstacle(
  all: readonly Wanted[],
  group: readonly Wanted[],
  wanted: NonNullable<WantedUplink>,
): string | undefined {
  const windows = group[0]?.subject.cluster?.known('Node').filter(isWindows) ?? [];
  const unseen = windows
    .map(({metadata}) => metadata.name)
    .filter(name => !all.some(({subject, failure}) => subject.node.name === name && failure === undefined));
  if (unseen.length > 0) return `it applies to all Windows nodes, and ${names(unseen)} was not inspected; use --all`;
  const without = group.filter(({subject: {node}}) =>
    wanted.by === 'name'
      ? !node.netAdapters?.some(({name}) => name === wanted.adapter)
      : !node.netIPAddresses?.some(({ip}) => contains(wanted.cidr, ip)),
  );
  if (without.length === 0) return undefined;
  const what = wanted.by === 'name' ? `no adapter ${wanted.adapter}` : `no address in ${wanted.cidr}`;
  return `it applies to all Windows nodes, and there is ${what} on ${names(without.map(({subject}) => subject.node.name))}`;
}
