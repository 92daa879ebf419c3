import {stat} from 'node:fs/promises';
import {allChecks, checkNode, subjectOf} from '../../diagnose/engine.js';
import {ExitCode, WinError} from '../../lib/errors.js';
import {inputName} from '../../lib/read-input.js';
import type {InspectOptions} from '../../session/inspection.js';
import {type OpenProgress, withProgress} from '../../session/progress.js';
import {nodesFromFile} from '../../session/snapshot-file.js';
import {readSnapshot, type Snapshot} from '../../snapshot/snapshot.js';
import {type Comparison, compareNodes, compareWithPeers, type Side} from './compare.js';

/** The result of `kubectl win diff`, as `-o json` prints it. */
export interface NodeDiff extends Comparison {
  readonly apiVersion: 'kubectl-win/v1';
  readonly kind: 'NodeDiff';
  readonly left: string;
  readonly right: string;
  /** Why a node could not be compared at all. */
  readonly failures: Readonly<Record<string, string>>;
}

export interface NodeDiffList {
  readonly apiVersion: 'kubectl-win/v1';
  readonly kind: 'NodeDiffList';
  readonly items: readonly NodeDiff[];
}

export interface DiffOptions extends InspectOptions {
  /** A snapshot to read instead of a cluster. */
  readonly from?: string | undefined;
}

interface Read {
  readonly snapshot: Snapshot;
  readonly names: readonly string[];
  readonly failures: ReadonlyMap<string, string>;
}

/** Compares two nodes, two snapshots, or a node with its peers. */
export async function diff(options: DiffOptions, open: OpenProgress, signal: AbortSignal): Promise<NodeDiffList> {
  const [one, other, ...more] = options.names;
  if (one === undefined || more.length > 0) throw usage('diff requires one or two names.');
  if (other !== undefined && (await areFiles(one, other))) return list(await diffFiles(one, other));
  const {snapshot, names, failures} = await readNodes(options, open, signal);
  if (other !== undefined) return list([diffNodes(snapshot, failures, one, other)]);
  return list([diffPeers({snapshot, names, failures}, one)]);
}

const list = (items: readonly NodeDiff[]): NodeDiffList => ({
  apiVersion: 'kubectl-win/v1',
  kind: 'NodeDiffList',
  items,
});

/** To compare a node with its peers, all nodes are read: only then is it known which are its peers. */
async function readNodes(options: DiffOptions, open: OpenProgress, signal: AbortSignal): Promise<Read> {
  const [, other] = options.names;
  const names = other === undefined ? [] : options.names;
  if (options.from !== undefined) return nodesFromFile(options.from, names);
  const {inspect} = await import('../../session/inspection.js');
  const read = await withProgress(open, progress => inspect({...options, names}, progress, signal));
  return {...read, snapshot: readSnapshot(read.document)};
}

function diffNodes(snapshot: Snapshot, failures: ReadonlyMap<string, string>, one: string, other: string): NodeDiff {
  const unread = [one, other].filter(name => !snapshot.nodes.has(name));
  if (unread.length > 0) return uncomparable(one, other, unread, failures);
  return document(one, other, compareNodes(sideOf(snapshot, one), sideOf(snapshot, other)));
}

function diffPeers({snapshot, names, failures}: Read, name: string): NodeDiff {
  if (!names.includes(name)) {
    throw new WinError(`Windows node "${name}" not found.`, {next: [`Windows nodes: ${names.join(', ')}.`]});
  }
  if (!snapshot.nodes.has(name)) return uncomparable(name, 'its peers', [name], failures);
  const node = sideOf(snapshot, name);
  const {plugin} = node.subject;
  const peers = names
    .filter(peer => peer !== name && snapshot.nodes.has(peer))
    .map(peer => sideOf(snapshot, peer))
    .filter(({subject}) => subject.plugin.name === plugin.name && subject.plugin.variant === plugin.variant);
  if (peers.length === 0) {
    throw new WinError(`${name} has no peers: no other inspected node runs ${plugin.title}.`, {
      next: ['Compare it with another node: kubectl win diff NODE OTHER'],
      exit: ExitCode.uninspected,
    });
  }
  const right =
    peers.length === 1 ? (peers[0]?.subject.node.name ?? '') : `most of ${peers.length} ${plugin.title} nodes`;
  return document(name, right, compareWithPeers(node, peers));
}

/** Compares the nodes that both snapshots have, by name. If each has a single node, those two are compared. */
async function diffFiles(one: string, other: string): Promise<NodeDiff[]> {
  const [before, after] = await Promise.all([nodesFromFile(one, []), nodesFromFile(other, [])]);
  const label = (file: string, node: string) => `${inputName(file)} ${node}`;
  const pairs = pairsOf(before.names, after.names);
  if (pairs.length === 0) {
    throw new WinError(`${inputName(one)} and ${inputName(other)} have no node in common.`, {
      next: [
        `${inputName(one)} has: ${before.names.join(', ')}.`,
        `${inputName(other)} has: ${after.names.join(', ')}.`,
      ],
    });
  }
  return pairs.map(([left, right]) => {
    const names = [label(one, left), label(other, right)] as const;
    const unread = [
      ...(before.snapshot.nodes.has(left) ? [] : [left]),
      ...(after.snapshot.nodes.has(right) ? [] : [right]),
    ];
    if (unread.length > 0) return uncomparable(...names, unread, new Map([...before.failures, ...after.failures]));
    return document(...names, compareNodes(sideOf(before.snapshot, left), sideOf(after.snapshot, right)));
  });
}

function pairsOf(before: readonly string[], after: readonly string[]): [string, string][] {
  if (before.length === 1 && after.length === 1) return [[before[0] as string, after[0] as string]];
  return before.filter(name => after.includes(name)).map(name => [name, name]);
}

function sideOf(snapshot: Snapshot, name: string): Side {
  const subject = subjectOf(snapshot, name, snapshot.takenAt ?? Date.now());
  return {subject, results: checkNode(subject, allChecks)};
}

const document = (left: string, right: string, comparison: Comparison): NodeDiff => ({
  ...{apiVersion: 'kubectl-win/v1', kind: 'NodeDiff', left, right, ...comparison, failures: {}},
});

function uncomparable(
  left: string,
  right: string,
  unread: readonly string[],
  failures: ReadonlyMap<string, string>,
): NodeDiff {
  const reasons = Object.fromEntries(unread.map(name => [name, failures.get(name) ?? 'not read.']));
  return {...document(left, right, {differences: [], uncompared: []}), failures: reasons};
}

/** A node's name may also contain a dot: only names of existing files count as files. */
async function areFiles(...paths: readonly string[]): Promise<boolean> {
  const found = await Promise.all(
    paths.map(path =>
      stat(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  if (found.every(Boolean)) return true;
  const missing = paths.find((path, i) => !found[i] && /[\\/]|\.(json|ya?ml|gz|tgz)$/i.test(path));
  if (missing !== undefined) throw usage(`cannot read ${missing}: no such file.`);
  return false;
}

const usage = (message: string) =>
  new WinError(message, {
    next: [
      'Two nodes: kubectl win diff NODE OTHER',
      'A node and its peers: kubectl win diff NODE',
      'Two snapshots: kubectl win diff BEFORE.json AFTER.json',
    ],
  });

/** Like `kubectl diff`: 1 means that there are differences, more than 1 that the comparison is incomplete. */
export function diffExitCode({items}: NodeDiffList): ExitCode {
  if (items.some(({failures, uncompared}) => Object.keys(failures).length + uncompared.length > 0))
    return ExitCode.uninspected;
  return items.some(({differences}) => differences.length > 0) ? ExitCode.problems : ExitCode.ok;
}
