import {stripVTControlCharacters} from 'node:util';
import {eastAsianWidth} from 'get-east-asian-width';

// The most common characters take one column each. Loading Unicode's tables for the others takes about 70 ms, so that is
// done only when one of them occurs.
const narrow = /^[ -~\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u2199\u2500-\u25fc\u2713-\u2718]*$/;

/** The width of a text in terminal columns: wide characters take two, accents and colour codes none. */
export function stringWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  const shown = stripVTControlCharacters(text);
  if (narrow.test(shown)) return shown.length;
  let width = 0;
  for (const cluster of clusters(shown)) width += clusterWidth(cluster);
  return width;
}

function clusterWidth(cluster: string): number {
  if (
    /^(\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|\p{Regional_Indicator}{2}|[\d#*]\ufe0f?\u20e3)/u.test(
      cluster,
    )
  )
    return 2;
  const [visible] = /[^\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Mn}\p{Me}\p{Cs}]/u.exec(cluster) ?? [];
  return visible === undefined ? 0 : eastAsianWidth(visible.codePointAt(0) as number);
}

let segmenter: Intl.Segmenter | undefined;

/** The grapheme clusters of a text. */
function clusters(text: string): string[] {
  if (narrow.test(text)) return [...text];
  segmenter ??= new Intl.Segmenter(undefined, {granularity: 'grapheme'});
  return Array.from(segmenter.segment(text), ({segment}) => segment);
}

/** The start of a text that fits into this number of columns. */
export function headOf(text: string, columns: number): string {
  let head = '';
  let used = 0;
  for (const segment of clusters(text)) {
    used += stringWidth(segment);
    if (used > columns) return head;
    head += segment;
  }
  return head;
}

/** The end of a text that fits into this number of columns. */
function tailOf(text: string, columns: number): string {
  let tail = '';
  let used = 0;
  for (const segment of clusters(text).reverse()) {
    used += stringWidth(segment);
    if (used > columns) return tail;
    tail = segment + tail;
  }
  return tail;
}

/** A text padded or shortened to this number of columns. It is shortened in the middle, because names differ at their ends. */
export function inColumns(text: string, columns: number): string {
  const shown = stringWidth(text) <= columns ? text : withoutMiddle(text, columns);
  return shown + ' '.repeat(Math.max(0, columns - stringWidth(shown)));
}

function withoutMiddle(text: string, columns: number): string {
  if (columns < 1) return '';
  const tail = Math.floor((columns - 1) / 2);
  return `${headOf(text, columns - 1 - tail)}…${tailOf(text, tail)}`;
}
