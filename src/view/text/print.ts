import {dump} from 'js-yaml';

/** A document as `-o json` or `-o yaml` prints it. */
export function printDocument(document: unknown, format: 'json' | 'yaml'): string {
  if (format === 'json') return `${escaped(JSON.stringify(document, null, 2))}\n`;
  return dump(document, {lineWidth: -1, noRefs: true});
}

/** JSON leaves some controls as they are, which a terminal obeys. Escaped, they are the same text to a program. */
function escaped(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
