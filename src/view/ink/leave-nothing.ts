import type {Instance} from 'ink';

const oneLineUp = '\u001b[1A';

/**
 * Ends a display without a trace. Ink draws a last frame when it ends, also after `clear`, if one was waiting to be drawn:
 * so the last frame is made an empty one, which is a line that is then taken back.
 */
export function leaveNothing(app: Instance, stream: NodeJS.WriteStream): void {
  app.rerender(null);
  app.unmount();
  stream.write(oneLineUp);
}
