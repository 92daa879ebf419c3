import {own} from '../../lib/own.js';
import {plugins} from '../../plugins/all.js';
import type {NodeDump} from '../../snapshot/document.js';

/** Names from Kubernetes and network plugins, not chosen by the operators of the cluster. */
const common =
  /^(?:default|kube(?:-[\w-]+)?|kubernetes|kubectl-win|calico(?:-[\w-]+)?|tigera(?:-[\w-]+)?|openshift(?:-[\w-]+)?|cattle(?:-[\w-]+)?|antrea(?:-[\w-]+)?|ovn(?:-[\w-]+)?|flannel(?:-[\w-]+)?|gatekeeper-system|windows|linux|localhost|node)$/i;

/** Kinds whose names users choose, with the word that replaces them. */
const standInWords: Readonly<Record<string, string>> = {
  Node: 'node',
  Namespace: 'namespace',
  Pod: 'pod',
  Service: 'service',
  Deployment: 'deployment',
  StatefulSet: 'statefulset',
  ReplicaSet: 'replicaset',
  DaemonSet: 'daemonset',
  Job: 'job',
};

interface Meta {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
}

/** Replaces names with stand-ins. The same name always gets the same stand-in. */
export class NameStandIns {
  readonly #standIns = new Map<string, string>();
  readonly #derived = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  #pattern: RegExp | undefined;

  /** Learns a node's name in the cluster and its Windows host name. */
  learnNode(name: string, {sections}: NodeDump): void {
    this.#add(name, 'node');
    const host = (sections.os as {CSName?: unknown} | undefined)?.CSName;
    if (typeof host === 'string') this.#add(host, 'host');
  }

  /** Learns the name of a cluster object. Names from Kubernetes and plugins are kept. */
  learnObject(object: unknown): void {
    for (const {kind, name, namespace} of metaOf(object)) {
      const word = own(standInWords, kind);
      const isCommon = kind === 'Namespace' ? common.test(name) : namespace !== undefined && common.test(namespace);
      if (word && !isCommon) this.#add(name, word);
      if (namespace !== undefined && !common.test(namespace)) this.#add(namespace, 'namespace');
    }
  }

  get size(): number {
    return this.#standIns.size;
  }

  in(text: string): string {
    if (this.#standIns.size === 0) return text;
    this.#pattern ??= this.#compile();
    return text.replace(this.#pattern, name => {
      const key = name.toLowerCase();
      return this.#standIns.get(key) ?? this.#derived.get(key) ?? name;
    });
  }

  #add(name: string, word: string): void {
    const key = name.toLowerCase();
    if (key.length < 2 || this.#standIns.has(key)) return;
    const count = (this.#counts.get(word) ?? 0) + 1;
    const standIn = `${word}-${count}`;
    this.#counts.set(word, count);
    this.#standIns.set(key, standIn);
    this.#pattern = undefined;
    if (word === 'node') this.#addDerived(name, standIn);
  }

  /** A MAC address that a plugin derives from the node's name must be derived from the stand-in too. */
  #addDerived(name: string, standIn: string): void {
    for (const {footprint} of plugins) {
      const [mac, other] = [footprint.derivedMac?.(name), footprint.derivedMac?.(standIn)];
      if (mac === undefined || other === undefined) continue;
      for (const separator of [':', '-'])
        this.#derived.set(mac.replaceAll(':', separator), other.replaceAll(':', separator));
    }
  }

  /** Longer names first, because a pod's name starts with its Deployment's. */
  #compile(): RegExp {
    const names = [...this.#standIns.keys(), ...this.#derived.keys()].sort((one, other) => other.length - one.length);
    const escaped = names.map(name => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`(?<![a-z0-9])(?:${escaped.join('|')})(?![a-z0-9])`, 'gi');
  }
}

function metaOf(object: unknown): Meta[] {
  const {kind, metadata} = (object ?? {}) as {kind?: unknown; metadata?: {name?: unknown; namespace?: unknown}};
  if (typeof kind !== 'string' || typeof metadata?.name !== 'string') return [];
  const {name, namespace} = metadata;
  return [{kind, name, namespace: typeof namespace === 'string' ? namespace : undefined}];
}
