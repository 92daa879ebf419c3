import {readSnapshotFile} from '../../session/snapshot-file.js';
import type {SnapshotDocument} from '../../snapshot/document.js';
import {type Redactable, Redactor, type Replaced} from './redact.js';

export interface Redaction {
  readonly document: SnapshotDocument;
  readonly replaced: Replaced;
}

/** Redacts a snapshot file: always secrets, on request also addresses and names. */
export async function redactFile(path: string, also: readonly Redactable[]): Promise<Redaction> {
  return redactSnapshot(await readSnapshotFile(path), also);
}

export function redactSnapshot(document: SnapshotDocument, also: readonly Redactable[]): Redaction {
  const redactor = new Redactor(also);
  for (const [name, dump] of Object.entries(document.nodes)) redactor.learnNode(name, dump);
  redactor.learnObjects(document.cluster?.objects ?? []);
  return {document: redactor.document(document), replaced: redactor.replaced};
}
