// docs/sources.md: what the source documents say and where it is covered, from docs/sources.yaml.
import {readFileSync, writeFileSync} from 'node:fs';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {load} from 'js-yaml';

const file = name => fileURLToPath(new URL(`../docs/${name}`, import.meta.url));

/**
 * @typedef {{claim: string, by?: string[], not?: string}} Claim
 * @typedef {{document: string, url: string, sections: {section: string, claims: Claim[]}[]}} SourceDocument
 */

/** @returns {SourceDocument[]} */
export function sources() {
  return /** @type {SourceDocument[]} */ (load(readFileSync(file('sources.yaml'), 'utf8')));
}

/** @param {SourceDocument[]} documents */
export function sourcesPage(documents) {
  const claims = documents.flatMap(({sections}) => sections.flatMap(section => section.claims));
  const covered = claims.filter(({by}) => by !== undefined);
  return [
    '# Source documents',
    '',
    'What the documents say that kubectl win was made from, in our words, and where each claim is checked, repaired, shown or explained.',
    'Written by `npm run docs` from [sources.yaml](sources.yaml).',
    '',
    `${covered.length} of ${claims.length} claims are covered. The others state why they are not.`,
    '',
    ...documents.flatMap(({document, url, sections}) => [
      `## ${document}`,
      '',
      url,
      '',
      '| section | claim | covered by |',
      '|---|---|---|',
      ...sections.flatMap(({section, claims: own}) => own.map(claim => row(section, claim))),
      '',
    ]),
  ].join('\n');
}

function row(section, {claim, by, not}) {
  const where = by === undefined ? `not covered: ${not}` : by.map(place).join(', ');
  return `| ${section} | ${claim.replaceAll('|', '\\|')} | ${where} |`;
}

function place(text) {
  const [, id] = /^explain ([^:]+): /.exec(text) ?? [];
  if (id !== undefined) return `\`kubectl win explain ${id}\``;
  if (text.startsWith('docs/')) return `[${text.slice(5)}](${text.slice(5)})`;
  return text.startsWith('scenario ') ? `\`kubectl win demo --scenario ${text.slice(9)}\`` : `\`${text}\``;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(file('sources.md'), sourcesPage(sources()));
