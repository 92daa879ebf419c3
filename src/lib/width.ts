import stringWidth from 'string-width';

const characters = new Intl.Segmenter(undefined, {granularity: 'grapheme'});

/** As much of a text as fits in so many columns: a wide character takes two, an accent none. */
export function headOf(text: string, columns: number): string {
  let head = '';
  let used = 0;
  for (const {segment} of characters.segment(text)) {
    used += stringWidth(segment);
    if (used > columns) return head;
    head += segment;
  }
  return head;
}

/** The same from the end. */
function tailOf(text: string, columns: number): string {
  let tail = '';
  let used = 0;
  for (const {segment} of [...characters.segment(text)].reverse()) {
    used += stringWidth(segment);
    if (used > columns) return tail;
    tail = segment + tail;
  }
  return tail;
}

/** A text in exactly so many columns. What does not fit is cut out of its middle: names tell themselves apart at their ends. */
export function inColumns(text: string, columns: number): string {
  const shown = stringWidth(text) <= columns ? text : withoutMiddle(text, columns);
  return shown + ' '.repeat(Math.max(0, columns - stringWidth(shown)));
}

function withoutMiddle(text: string, columns: number): string {
  if (columns < 1) return '';
  const tail = Math.floor((columns - 1) / 2);
  return `${headOf(text, columns - 1 - tail)}…${tailOf(text, tail)}`;
}
