import type {Content, ScreenLine, Tone} from './content.js';

export interface SearchResult {
  readonly content: Content;
  readonly count: number;
  /** The selected match, from 1; 0 if there is none. */
  readonly at: number;
}

/** Highlights the matches of a text, and keeps the selected one visible. */
export function searched(content: Content, search: string, match: number, height: number): SearchResult {
  if (search === '') return {content, count: 0, at: 0};
  const wanted = search.toLowerCase();
  const hits = content.lines.flatMap((line, i) => (textOf(line).toLowerCase().includes(wanted) ? [i] : []));
  const count = hits.length;
  const at = count === 0 ? 0 : ((match % count) + count) % count;
  const line = hits[at] ?? 0;
  const lines = content.lines.map((one, i) =>
    hits.includes(i) ? setOff(one, wanted, i === line ? 'selectedMatch' : 'match') : one,
  );
  const from = Math.max(0, line - Math.floor(height / 3));
  return {content: {...content, lines, from, to: line + 1}, count, at: count === 0 ? 0 : at + 1};
}

function textOf(line: ScreenLine): string {
  return line.map(([, text]) => text).join('');
}

/** A match that spans several pieces of a line is not highlighted, but its line still counts. */
function setOff(line: ScreenLine, wanted: string, look: Tone): ScreenLine {
  return line.flatMap(([tone, text]): ScreenLine => {
    const pieces: [Tone, string][] = [];
    let rest = text;
    for (let at = rest.toLowerCase().indexOf(wanted); at >= 0; at = rest.toLowerCase().indexOf(wanted)) {
      pieces.push([tone, rest.slice(0, at)], [look, rest.slice(at, at + wanted.length)]);
      rest = rest.slice(at + wanted.length);
    }
    return [...pieces, [tone, rest]];
  });
}
