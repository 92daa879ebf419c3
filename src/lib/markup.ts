import {plain} from './untrusted.js';

/** Escapes untrusted text for XML or HTML, including quoted attributes. */
export function escapeXml(text: string): string {
  // XML cannot represent these two characters, nor lone surrogates.
  const valid = plain(text)
    .toWellFormed()
    .replace(/[\ufffe\uffff]/g, '');
  return valid.replace(/[&<>"']/g, character => `&#${character.codePointAt(0)};`);
}

/**
 * Escapes untrusted text for Markdown. GitHub and GitLab extend CommonMark: @name mentions a user, #1 links an issue, and a
 * bare URL becomes a link.
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

/** Untrusted text as inline code in Markdown, with as many backticks as necessary. */
export function markdownCode(text: string): string {
  const line = plain(text);
  const longest = Math.max(0, ...Array.from(line.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  const space = line.startsWith('`') || line.endsWith('`') || line.trim() === '' ? ' ' : '';
  return `${fence}${space}${line}${space}${fence}`;
}
