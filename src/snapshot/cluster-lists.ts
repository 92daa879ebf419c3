import * as z from 'zod/mini';
import {names} from '../lib/names.js';
import {NotRead} from './not-read.js';

/** One list request, successful or not: what it requested, and its scope. */
export const clusterList = z.object({
  /** Such as `Pod`; for custom resources of a plugin the resource name, such as `subnets`. */
  kind: z.string(),
  /** The API group of custom resources. */
  group: z.optional(z.string()),
  /** The list covers only this namespace or this node; without both, the whole cluster. */
  namespace: z.optional(z.string()),
  node: z.optional(z.string()),
  /** Why it could not be read. */
  error: z.optional(z.string()),
  /** Left out because of its size: lists of the relevant namespaces replace it. */
  tooLong: z.optional(z.boolean()),
});

export type ClusterList = z.infer<typeof clusterList>;

/** Display name of a list: `pods on win-1`, `configmaps in kube-system`, `subnets.kubeovn.io`. */
export function listName({kind, group, namespace, node}: ClusterList): string {
  if (group === '*') return 'API groups';
  const what = group === undefined ? `${kind.toLowerCase()}s` : `${kind}.${group}`;
  if (node !== undefined) return `${what} on ${node}`;
  return namespace === undefined ? what : `${what} in ${namespace}`;
}

/** The objects a caller needs: a kind, optionally of one namespace or node. */
type Question = Pick<ClusterList, 'kind' | 'group' | 'namespace' | 'node'>;

/** Which lists of the cluster were read. Undefined for snapshots of older versions, which did not record it. */
export class ClusterLists {
  readonly #lists: readonly ClusterList[] | undefined;

  constructor(lists: readonly ClusterList[] | undefined) {
    this.#lists = lists;
  }

  /** False for snapshots that did not record what was read. */
  get known(): boolean {
    return this.#lists !== undefined;
  }

  /** Lists that failed, except those whose objects are included in a successful list of the whole cluster. */
  get unread(): readonly ClusterList[] {
    const failed = this.#lists?.filter(({error, tooLong}) => error !== undefined && !tooLong) ?? [];
    return failed.filter(list => isWhole(list) || this.missing(list) !== undefined);
  }

  /** The same for display: per-node lists that failed for the same reason are combined. */
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

  /** The error to throw if the answer depends on a list that was not read; undefined if everything needed was read. */
  missing(question: Question): NotRead | undefined {
    if (!this.#lists) return undefined;
    const ofKind = this.#lists.filter(({kind, group}) => kind === question.kind && group === question.group);
    const suffices = (list: ClusterList) => isWhole(list) || (!isWhole(question) && concerns(list, question));
    if (ofKind.some(list => list.error === undefined && suffices(list))) return undefined;
    const concerned = ofKind.filter(list => isWhole(list) || concerns(list, question));
    const failure = concerned.find(({error}) => error !== undefined);
    if (failure) return new NotRead(listName(failure), failure.error ?? '');
    return concerned.length > 0 ? undefined : new NotRead(listName(question), 'they were not requested');
  }

  /** The error to throw if no list of a kind was read. */
  missingEntirely(kind: string): NotRead | undefined {
    const ofKind = this.#lists?.filter(list => list.kind === kind);
    return ofKind?.some(({error}) => error === undefined) ? undefined : this.missing({kind});
  }

  /** The same for all resources of a group. A group that the cluster does not have counts as read and empty. */
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
