// Ink takes a while to load. What is drawn here stands until then, and needs nothing but a stream.

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

/** Says on one line what begins. Gives the way to take it back. */
export function firstLine(stream: Pick<Sized, 'write'>, text: string): () => void {
  return untilTaken(
    () => stream.write(`${hideCursor}${text}`),
    () => stream.write(`${clearLine}${showCursor}`),
  );
}

/** The frame of a full screen: its top and its bottom line. Gives the way back to what was there before. */
export function firstScreen(stream: Sized, top: string, bottom: string): () => void {
  return untilTaken(
    () => stream.write(`${toOwnScreen}${hideCursor}${top}\u001b[${stream.rows};1H\u001b[2m${bottom}\u001b[22m`),
    () => stream.write(`${fromOwnScreen}${showCursor}`),
  );
}

/** Whatever ends the process meanwhile, the terminal is given back. */
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
