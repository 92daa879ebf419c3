import {dump} from 'js-yaml';

/** A document as `-o json` or `-o yaml` prints it. */
export function printDocument(document: unknown, format: 'json' | 'yaml'): string {
  if (format === 'json') return `${JSON.stringify(document, null, 2)}\n`;
  return dump(document, {lineWidth: -1, noRefs: true});
}
