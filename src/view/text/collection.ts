import {own} from '../../lib/own.js';
import {plain} from '../../lib/untrusted.js';
import type {Collection} from '../../services/collect.js';
import type {View} from '../view.js';
import {printDocument} from './print.js';
import {replacedText} from './redaction.js';

/** A snapshot is a document, even without `-o`. */
export const collectionView = {
  text: ({document}) => printDocument(document, 'json'),
  document: ({document}) => document,
  notes: ({document, failures, replaced}) => {
    const read = Object.keys(document.nodes).length;
    const objects = document.cluster?.objects.length ?? 0;
    return `${[
      `Snapshot of ${read} of ${read + missing(document.nodes, failures)} nodes and ${objects} cluster objects.`,
      ...leftOutLines(document.cluster?.leftOut ?? {}),
      replacedText(replaced).trimEnd(),
    ].join('\n')}\n`;
  },
} satisfies View<Collection>;

/** What was left out of the file, for its sender. */
export function leftOutLines(leftOut: Readonly<Record<string, number>>): string[] {
  const told = Object.entries(leftOut).map(([what, count]) => `${own(names, what) ?? plain(what)} (${count})`);
  return told.length > 0 ? [`Left out (number of objects): ${told.join(', ')}.`] : [];
}

/** Names of the data that is left out. */
const names: Readonly<Record<string, string>> = {
  annotations: 'annotations',
  arguments: 'arguments',
  configuration: 'ConfigMap data',
  environment: 'environment variables',
  messages: 'container messages',
};

function missing(nodes: Readonly<Record<string, unknown>>, failures: ReadonlyMap<string, string>): number {
  return [...failures.keys()].filter(name => !(name in nodes)).length;
}

export const writtenText = (file: string, bytes?: number): string =>
  `Wrote ${plain(file)}${bytes === undefined ? '' : ` (${sizeText(bytes)})`}.`;

export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
