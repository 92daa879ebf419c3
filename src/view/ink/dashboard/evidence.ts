import {plain, valueText} from '../../../lib/untrusted.js';
import type {Result} from '../../../model/result.js';

function evidenceText({section, object, field, seen, expected}: Result['evidence'][number]): string {
  const where = [section, plain(object), field].filter(Boolean).join(' ');
  return `found ${where}: ${valueText(seen)}${expected === undefined ? '' : `; expected: ${valueText(expected)}`}`;
}

/** A finding as text for a ticket. */
export function findingText(node: string, {id, message, evidence}: Result): string {
  return [`${plain(node)}: ${id}: ${plain(message)}`, ...evidence.map(evidenceText)].join('\n');
}
