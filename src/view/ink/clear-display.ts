import type {Instance} from 'ink';

const oneLineUp = '\u001b[1A';

/**
 * Ends a display and clears it. Ink draws a pending frame when it ends, even after `clear`, so an empty frame is drawn
 * last, and its line is removed.
 */
export function clearDisplay(app: Instance, stream: NodeJS.WriteStream): void {
  app.rerender(null);
  app.unmount();
  stream.write(oneLineUp);
}
