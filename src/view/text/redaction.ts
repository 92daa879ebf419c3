import {plain} from '../../lib/untrusted.js';
import type {Replaced} from '../../services/redact/redact.js';
import type {Redaction} from '../../services/redact/redact-file.js';
import type {View} from '../view.js';
import {printDocument} from './print.js';

export const redactionView = {
  text: ({document}) => printDocument(document, 'json'),
  document: ({document}) => document,
  notes: ({replaced}) => replacedText(replaced),
} satisfies View<Redaction>;

/** The kinds and numbers of replacements, so that the user knows what the file contained. */
export function replacedText(replaced: Replaced): string {
  const kinds = Object.entries(replaced).filter(([, count]) => count > 0);
  if (kinds.length === 0) return 'No secrets were found.\n';
  return `Replaced: ${kinds.map(([kind, count]) => `${plain(kind)} (${count})`).join(', ')}.\n`;
}
