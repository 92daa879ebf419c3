import {subjectOf} from '../../diagnose/engine.js';
import {inputName} from '../../lib/read-input.js';
import type {NodeSubject} from '../../model/check.js';
import {type InspectOptions, inspect} from '../../session/inspection.js';
import type {Progress} from '../../session/progress.js';
import {nodesFromFile} from '../../session/snapshot-file.js';
import type {SectionName} from '../../snapshot/section-names.js';
import {readSnapshot} from '../../snapshot/snapshot.js';

/** The sections that choosing an adapter and recognising the plugin require. */
const sections: readonly SectionName[] = [
  'os',
  'hnsNetworks',
  'hnsEndpoints',
  'netAdapters',
  'netIPAddresses',
  'netIPInterfaces',
  'netRoutes',
  'netNats',
  'dnsServers',
  'adapterBindings',
  'vmSwitches',
  'vmSwitchExtensions',
  'ovs',
  'services',
  'processes',
  'files',
  'plans',
];

export interface AdapterReading extends Omit<InspectOptions, 'sections'> {
  /** A snapshot that replaces the helper's data, for nodes that cannot run a helper. */
  readonly snapshot?: string | undefined;
}

/** The nodes that were read. */
export interface ReadSubjects {
  readonly subjects: readonly NodeSubject[];
  /** Why a node could not be read, by its name. */
  readonly failures: ReadonlyMap<string, string>;
}

export async function readAdapters(
  options: AdapterReading,
  progress: Progress,
  signal: AbortSignal,
): Promise<ReadSubjects> {
  const kept = options.snapshot === undefined ? undefined : (await nodesFromFile(options.snapshot, [])).snapshot.nodes;
  const helper = (options.helper ?? true) && kept === undefined;
  const {document, names, failures} = await inspect({...options, helper, sections}, progress, signal);
  const read = readSnapshot(document);
  const snapshot = {...read, nodes: kept ?? read.nodes};
  const missing = kept ? names.filter(name => !snapshot.nodes.has(name)) : [];
  return {
    subjects: names.map(name => subjectOf(snapshot, name, Date.now())),
    failures: new Map([
      ...failures,
      ...missing.map(name => [name, `${inputName(options.snapshot ?? '')} does not contain it.`] as const),
    ]),
  };
}
