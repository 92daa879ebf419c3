// Ink takes a while to load. This output is shown until then, and requires only a stream.

interface Sized {
  readonly columns: number;
  readonly rows: number;
  write(text: string): unknown;
}

const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const toOwnScreen = '\u001b[?1049h\u001b[2J\u001b[H';
const fromOwnScreen = '\u001b[?1049l';
const clearLine = '\r\u001b[2K';

/** Shows one line. Returns a function that removes it. */
export function firstLine(stream: Pick<Sized, 'write'>, text: string): () => void {
  return untilTaken(
    () => stream.write(`${hideCursor}${text}`),
    () => stream.write(`${clearLine}${showCursor}`),
  );
}

/** Shows the top and bottom line of a full screen. Returns a function that restores the previous screen. */
export function firstScreen(stream: Sized, top: string, bottom: string): () => void {
  return untilTaken(
    () => stream.write(`${toOwnScreen}${hideCursor}${top}\u001b[${stream.rows};1H\u001b[2m${bottom}\u001b[22m`),
    () => stream.write(`${fromOwnScreen}${showCursor}`),
  );
}

/** Restores the terminal also if the process exits meanwhile. */
function untilTaken(draw: () => void, takeBack: () => void): () => void {
  process.once('exit', takeBack);
  draw();
  let isThere = true;
  return () => {
    process.off('exit', takeBack);
    if (isThere) takeBack();
    isThere = false;
  };
}
