import {nameSuffix, withDefaults} from '../api/defaults.js';
import {remove} from '../api/delete.js';
import type {ApiObject} from '../api/object.js';
import {recordEvent} from '../api/record-event.js';
import {daemonSetType, nodeType, podType} from '../api/resource-types.js';
import type {ObjectStore, StoreEvent} from '../api/store.js';
import {podRejection} from '../api/validation/admission.js';
import {withLimits} from '../api/validation/limits.js';
import type {PodSecurityLevel} from '../api/validation/pod-security.js';
import {isReady} from '../cluster/pod-status.js';
import {revisionLabel, templateRevision} from '../cluster/revision.js';
import {owner} from '../cluster/workloads.js';
import {at, isObject, type JsonObject, listAt, sameJson, textAt} from '../json.js';
import {Due} from './due.js';
import {fits, mayBeOn, mayStay} from './node-fit.js';

/** Creates the pods of each DaemonSet, replaces lost and outdated ones, and updates the status. */
export class DaemonSets {
  readonly #store: ObjectStore;
  readonly #podSecurity: PodSecurityLevel;
  readonly #due = new Due(key => this.#reconcile(key));
  readonly #unsubscribe: () => void;

  constructor(store: ObjectStore, podSecurity: PodSecurityLevel) {
    this.#store = store;
    this.#podSecurity = podSecurity;
    this.#unsubscribe = store.subscribe(event => this.#notice(event));
  }

  close(): void {
    this.#unsubscribe();
    this.#due.close();
  }

  #notice({resource, object, type}: StoreEvent): void {
    if (resource === daemonSetType && type !== 'DELETED') this.#due.add(keyOf(object));
    else if (resource === podType) {
      const set = object.metadata.ownerReferences?.find(({kind, controller}) => kind === 'DaemonSet' && controller);
      if (set) this.#due.add(`${object.metadata.namespace}/${set.name}`);
    } else if (resource === nodeType && type !== 'MODIFIED') {
      for (const set of this.#store.all(daemonSetType)) this.#due.add(keyOf(set));
    }
  }

  #reconcile(key: string): void {
    const [namespace = '', name = ''] = key.split('/');
    const set = this.#store.find(daemonSetType, namespace, name);
    if (!set || set.metadata.deletionTimestamp) return;
    const spec = tolerant(at(set, 'spec', 'template', 'spec'));
    const nodes = [...this.#store.all(nodeType)];
    const wanted = nodes.filter(node => fits(spec, node)).map(node => node.metadata.name);
    const kept = nodes.filter(node => mayBeOn(spec, node) && mayStay(spec, node)).map(node => node.metadata.name);
    const pods = [...this.#store.all(podType)].filter(pod =>
      pod.metadata.ownerReferences?.some(({uid}) => uid === set.metadata.uid),
    );
    const placed = new Map(pods.map(pod => [textAt(pod, 'spec', 'nodeName'), pod]));
    for (const node of wanted) if (!placed.has(node)) this.#create(set, node);
    for (const [node, pod] of placed) {
      if (!kept.includes(node) || textAt(pod, 'status', 'phase') === 'Failed') remove(this.#store, podType, pod);
    }
    this.#roll(set, pods);
    this.#count(set, wanted.length, pods);
  }

  #create(set: ApiObject, node: string): void {
    const {name, namespace} = set.metadata;
    const template = at(set, 'spec', 'template');
    const metadata = isObject(template) && isObject(template.metadata) ? template.metadata : {};
    const made: ApiObject = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...metadata,
        name: `${name}-${nameSuffix()}`,
        generateName: `${name}-`,
        ...(namespace && {namespace}),
        labels: {...(metadata.labels as object), [revisionLabel]: templateRevision(template)},
        ownerReferences: [owner(set)],
      },
      spec: {...tolerant(at(template, 'spec')), nodeName: node},
    };
    const pod = withDefaults(withLimits(this.#store, podType, made));
    const rejection = podRejection(this.#store, pod, this.#podSecurity);
    if (rejection) {
      const message = `Error creating: pods "${name}-" is forbidden: ${rejection}`;
      recordEvent(this.#store, set, {type: 'Warning', reason: 'FailedCreate', message}, 'daemonset-controller');
    } else this.#store.create(podType, pod);
  }

  /** Replaces as many outdated pods at a time as may be unavailable. */
  #roll(set: ApiObject, pods: readonly ApiObject[]): void {
    if (textAt(set, 'spec', 'updateStrategy', 'type') === 'OnDelete') return;
    const revision = templateRevision(at(set, 'spec', 'template'));
    const outdated = pods.filter(pod => pod.metadata.labels?.[revisionLabel] !== revision);
    const isAway = (pod: ApiObject) => !isReady(pod) || pod.metadata.deletionTimestamp !== undefined;
    const broken = outdated.filter(isAway);
    const room = mostAway(set, pods.length) - pods.filter(isAway).length;
    const rest = outdated.filter(pod => !isAway(pod)).slice(0, Math.max(0, room));
    for (const pod of [...broken.filter(({metadata}) => !metadata.deletionTimestamp), ...rest])
      remove(this.#store, podType, pod);
  }

  #count(set: ApiObject, desired: number, pods: readonly ApiObject[]): void {
    const present = this.#store.find(daemonSetType, set.metadata.namespace, set.metadata.name);
    if (!present) return;
    const revision = templateRevision(at(set, 'spec', 'template'));
    const ready = pods.filter(isReady).length;
    const updated = pods.filter(pod => pod.metadata.labels?.[revisionLabel] === revision).length;
    const status = {
      currentNumberScheduled: pods.length,
      desiredNumberScheduled: desired,
      numberMisscheduled: 0,
      numberReady: ready,
      ...(ready > 0 && {numberAvailable: ready}),
      ...(ready < desired && {numberUnavailable: desired - ready}),
      observedGeneration: set.metadata.generation ?? 1,
      ...(updated > 0 && {updatedNumberScheduled: updated}),
    };
    if (!sameJson(status, present.status)) this.#store.update(daemonSetType, {...present, status});
  }
}

/** Tolerations that the DaemonSet controller adds to every pod. */
const tolerated = [
  ['not-ready', 'NoExecute'],
  ['unreachable', 'NoExecute'],
  ['disk-pressure', 'NoSchedule'],
  ['memory-pressure', 'NoSchedule'],
  ['pid-pressure', 'NoSchedule'],
  ['unschedulable', 'NoSchedule'],
];

function tolerant(spec: unknown): JsonObject {
  const given = isObject(spec) ? spec : {};
  const names = given.hostNetwork === true ? [...tolerated, ['network-unavailable', 'NoSchedule']] : tolerated;
  const own = names.map(([name, effect]) => ({key: `node.kubernetes.io/${name}`, operator: 'Exists', effect}));
  return {...given, tolerations: [...listAt(given, 'tolerations'), ...own]};
}

/** `maxUnavailable`: a number, or a percentage that is rounded up. */
function mostAway(set: ApiObject, pods: number): number {
  const most = at(set, 'spec', 'updateStrategy', 'rollingUpdate', 'maxUnavailable') ?? 1;
  const [, percent] = /^(\d+)%$/.exec(String(most)) ?? [];
  return percent === undefined ? Number(most) : Math.ceil((pods * Number(percent)) / 100);
}

const keyOf = ({metadata}: ApiObject) => `${metadata.namespace}/${metadata.name}`;
