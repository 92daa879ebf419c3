import * as z from 'zod/mini';
import {names} from '../lib/names.js';
import {NotRead} from './not-read.js';

/** One list that was asked for, whether it came or not: what it was of, and how far it went. */
export const clusterList = z.object({
  /** Such as `Pod`; for a plugin's own resources their name, such as `subnets`. */
  kind: z.string(),
  /** The API group of a plugin's own resources. */
  group: z.optional(z.string()),
  /** Only of this namespace, or of this node; of the whole cluster where neither is said. */
  namespace: z.optional(z.string()),
  node: z.optional(z.string()),
  /** Why there is nothing of it. */
  error: z.optional(z.string()),
  /** It was left out on purpose, for its size: lists of the namespaces that matter stand in for it. */
  tooLong: z.optional(z.boolean()),
});

export type ClusterList = z.infer<typeof clusterList>;

/** The words for a list in messages: `pods on win-1`, `configmaps in kube-system`, `subnets.kubeovn.io`. */
export function listName({kind, group, namespace, node}: ClusterList): string {
  if (group === '*') return 'API groups';
  const what = group === undefined ? `${kind.toLowerCase()}s` : `${kind}.${group}`;
  if (node !== undefined) return `${what} on ${node}`;
  return namespace === undefined ? what : `${what} in ${namespace}`;
}

/** What is asked of the lists: a kind, perhaps only of one namespace or node. */
type Question = Pick<ClusterList, 'kind' | 'group' | 'namespace' | 'node'>;

/** Which lists of the cluster were read. Undefined: a snapshot of an older version, which does not say. */
export class ClusterLists {
  readonly #lists: readonly ClusterList[] | undefined;

  constructor(lists: readonly ClusterList[] | undefined) {
    this.#lists = lists;
  }

  /** False for snapshots that do not say what was read. */
  get known(): boolean {
    return this.#lists !== undefined;
  }

  /** Lists that should have come and did not. One that a list of the whole cluster holds anyway is not missed. */
  get unread(): readonly ClusterList[] {
    const failed = this.#lists?.filter(({error, tooLong}) => error !== undefined && !tooLong) ?? [];
    return failed.filter(list => isWhole(list) || this.missing(list) !== undefined);
  }

  /** The same for people: lists of single nodes that failed for the same reason are one line, however many nodes there are. */
  get unreadTogether(): {readonly name: string; readonly error: string}[] {
    const alike = Map.groupBy(this.unread, list =>
      list.node === undefined ? listName(list) : JSON.stringify([list.kind, list.group, list.error]),
    );
    return [...alike.values()].map(lists => {
      const [first] = lists as [ClusterList, ...ClusterList[]];
      const nodes = lists.flatMap(({node}) => node ?? []);
      const node = nodes.length > 1 ? names(nodes, 3) : first.node;
      return {name: listName({...first, node}), error: first.error ?? ''};
    });
  }

  /** The error to throw where an answer would rest on a list that was not read; undefined where all that matters was. */
  missing(question: Question): NotRead | undefined {
    if (!this.#lists) return undefined;
    const ofKind = this.#lists.filter(({kind, group}) => kind === question.kind && group === question.group);
    const suffices = (list: ClusterList) => isWhole(list) || (!isWhole(question) && concerns(list, question));
    if (ofKind.some(list => list.error === undefined && suffices(list))) return undefined;
    const concerned = ofKind.filter(list => isWhole(list) || concerns(list, question));
    const failure = concerned.find(({error}) => error !== undefined);
    if (failure) return new NotRead(listName(failure), failure.error ?? '');
    return concerned.length > 0 ? undefined : new NotRead(listName(question), 'they were not asked for');
  }

  /** The error to throw where not one list of a kind was read. */
  missingEntirely(kind: string): NotRead | undefined {
    const ofKind = this.#lists?.filter(list => list.kind === kind);
    return ofKind?.some(({error}) => error === undefined) ? undefined : this.missing({kind});
  }

  /** The same for all resources of a plugin's group. A group that the cluster does not have was read: it has none. */
  missingGroup(group: string): NotRead | undefined {
    const failure = this.#lists?.find(list => (list.group === group || list.group === '*') && list.error !== undefined);
    return failure && new NotRead(listName(failure), failure.error ?? '');
  }
}

const isWhole = ({namespace, node}: ClusterList) => namespace === undefined && node === undefined;

function concerns(list: ClusterList, {namespace, node}: Question): boolean {
  if (node !== undefined) return list.node === node;
  return namespace === undefined || list.namespace === namespace;
}
