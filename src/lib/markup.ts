import {plain} from './untrusted.js';

/** Untrusted text as text of XML or HTML, or in a quoted attribute of either. */
export function escapeXml(text: string): string {
  // XML has no way to write these two, nor half of a surrogate pair.
  const valid = plain(text)
    .toWellFormed()
    .replace(/[\ufffe\uffff]/g, '');
  return valid.replace(/[&<>"']/g, character => `&#${character.codePointAt(0)};`);
}

/**
 * Untrusted text as text of Markdown. GitHub and GitLab read more than CommonMark: @name mentions a person,
 * #1 links an issue, and a bare address becomes a link.
 */
export function escapeMarkdown(text: string): string {
  return plain(text)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/[\\`*_{}[\]|~]/g, '\\$&')
    .replace(/^(\s*)([#+=-]|\d+[.)])/, '$1\\$2')
    .replace(/(^|\W)#(?=\d)/g, '$1&#35;')
    .replace(/@/g, '&#64;')
    .replace(/:\/\//g, '&#58;//')
    .replace(/\bwww\./gi, match => `${match.slice(0, 3)}&#46;`);
}

/** Untrusted text as code of Markdown, in as many backticks as it takes. */
export function markdownCode(text: string): string {
  const line = plain(text);
  const longest = Math.max(0, ...Array.from(line.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  const space = line.startsWith('`') || line.endsWith('`') || line.trim() === '' ? ' ' : '';
  return `${fence}${space}${line}${space}${fence}`;
}
