import {readdirSync, readFileSync} from 'node:fs';
import {allChecks, checkCluster, checkFault, checkNode, subjectOf} from '../../src/diagnose/engine.js';
import type {Detection} from '../../src/model/plugin.js';
import type {Result} from '../../src/model/result.js';
import {snapshotDocument} from '../../src/snapshot/document.js';
import {readSnapshot, type Snapshot} from '../../src/snapshot/snapshot.js';

const casesFolder = new URL('../fixtures/cases/', import.meta.url);

// Raw documents on purpose: a test changes what Windows or the API returned, regardless of its type.
// biome-ignore lint/suspicious/noExplicitAny: the point of these fixtures is that anything may be in them
export type Raw = any;

export interface RawNode {
  sections: Record<string, Raw>;
  errors: Record<string, {kind: string; message: string}>;
}

interface RawDocument {
  apiVersion: string;
  kind: string;
  collectedAt?: string;
  cluster: {version?: string; objects: Raw[]; lists?: Raw[]};
  nodes: Record<string, RawNode>;
}

export interface Expectation {
  cni: string;
  variant?: string;
  mustFail: string[];
  mustNotFail: string[];
  maxErrors: number;
  why: string;
}

export const caseNames: readonly string[] = readdirSync(casesFolder)
  .filter(file => file.endsWith('.json') && !file.endsWith('.expect.json'))
  .map(file => file.replace(/\.json$/, ''))
  .sort();

export function expectation(name: string): Expectation {
  return JSON.parse(readFileSync(new URL(`${name}.expect.json`, casesFolder), 'utf8')) as Expectation;
}

/** One result of a run with its node; undefined: the cluster. */
export type Finding = Result & {readonly node: string | undefined};

interface Diagnosis {
  findings: Finding[];
  detections: Map<string, Detection>;
}

/** Runs every check on every node of a snapshot, and on its cluster. */
export function diagnose(snapshot: Snapshot): Diagnosis {
  const subjects = [...snapshot.nodes.keys()].sort().map(name => subjectOf(snapshot, name, 0));
  const findings = [
    ...subjects.flatMap(subject => checkNode(subject, allChecks).map(result => ({...result, node: subject.node.name}))),
    ...checkCluster(snapshot.cluster, subjects, allChecks).map(result => ({...result, node: undefined})),
  ];
  return {
    findings,
    detections: new Map(subjects.map(({node, plugin}) => [node.name, plugin])),
  };
}

/** Holds for every result: the check completed, text and evidence are complete, and an interruption is announced. */
export function demandWords({id, outcome, message, evidence, remedy}: Result): void {
  const hole = /\bundefined\b|\bNaN\b|\[object |: ?[,.](?:\s|$)|^\s*$| {2}/;
  if (message.startsWith(checkFault)) throw new Error(`${id} did not end: ${message}`);
  if (hole.test(message)) throw new Error(`${id} leaves something out: ${message}`);
  for (const its of evidence) {
    const values = [its.seen, ...[its.seen, its.expected].filter(value => Array.isArray(value)).flat()];
    if (!its.section || !its.object || hole.test(its.object) || values.includes(undefined))
      throw new Error(`${id} leaves something out of its evidence: ${JSON.stringify(its)}`);
  }
  const isCleanup = remedy?.kind === 'command' && remedy.command.startsWith('kubectl win cleanup ');
  if (isCleanup && cutting.has(id) && outcome === 'fail' && !remedy.cutsNetwork)
    throw new Error(`${id} does not say that its repair cuts the network: ${message}`);
}

const cutting = new Set<string>(allChecks.filter(({repair}) => repair?.effect === 'cut').map(({id}) => id));

/** A snapshot to change and diagnose. */
export class Scenario {
  readonly document: RawDocument;

  constructor(document: RawDocument) {
    this.document = document;
  }

  /** Changes a node: the first one, or the named one. */
  node(change: (node: RawNode) => void, name?: string): this {
    const key = name ?? Object.keys(this.document.nodes)[0] ?? '';
    const node = this.document.nodes[key];
    if (!node) throw new Error(`the case has no node ${key}`);
    change(node);
    return this;
  }

  /** Changes one section of the first or the named node. */
  section(section: string, change: (data: Raw) => void, name?: string): this {
    return this.node(node => change(node.sections[section]), name);
  }

  /** Makes a section unreadable. */
  without(section: string, failure = {kind: 'Timeout', message: 'no answer'}): this {
    for (const node of Object.values(this.document.nodes)) {
      delete node.sections[section];
      node.errors[section] = failure;
    }
    return this;
  }

  object(kind: string, name: string | RegExp, change: (object: Raw) => void): this {
    const objects = this.document.cluster.objects.filter(
      object =>
        object.kind === kind &&
        (typeof name === 'string' ? object.metadata.name === name : name.test(object.metadata.name)),
    );
    if (objects.length === 0) throw new Error(`the case has no ${kind} ${name}`);
    for (const object of objects) change(object);
    return this;
  }

  addObject(object: Raw): this {
    this.document.cluster.objects.push(object);
    return this;
  }

  removeObjects(matches: (object: Raw) => boolean): this {
    this.document.cluster.objects = this.document.cluster.objects.filter(object => !matches(object));
    return this;
  }

  /** Marks all lists of the cluster as read, except those of these kinds; the cases themselves do not say. */
  listed(failed: Readonly<Record<string, string>> = {}): this {
    const kinds = [
      'ConfigMap',
      'DaemonSet',
      'Deployment',
      'EndpointSlice',
      'Event',
      'Namespace',
      'Node',
      'Pod',
      'Service',
    ];
    this.document.cluster.lists = kinds.map(kind => ({kind, ...(failed[kind] && {error: failed[kind]})}));
    this.removeObjects(({kind}) => failed[kind] !== undefined);
    return this;
  }

  read(): Snapshot {
    return readSnapshot(snapshotDocument.parse(this.document));
  }

  run(): Diagnosis {
    return diagnose(this.read());
  }

  verdicts(id: string): Finding[] {
    const {findings} = this.run();
    for (const finding of findings) demandWords(finding);
    return findings.filter(finding => finding.id === id);
  }

  /** The outcomes of one check in report order. */
  outcomes(id: string): string[] {
    return this.verdicts(id).map(({outcome}) => outcome);
  }

  /** The failure messages of one check. */
  failures(id: string): string[] {
    return this.verdicts(id)
      .filter(({outcome}) => outcome === 'fail')
      .map(({message}) => message);
  }
}

/** A fresh copy of a fixture case. */
export function scenario(name: string): Scenario {
  return new Scenario(JSON.parse(readFileSync(new URL(`${name}.json`, casesFolder), 'utf8')) as RawDocument);
}

/** The same for healthy cases: what a test changes is the only fault. */
export function healthy(name: string): Scenario {
  if (expectation(name).mustFail.length > 0) throw new Error(`${name} is not a healthy case`);
  return scenario(name);
}
