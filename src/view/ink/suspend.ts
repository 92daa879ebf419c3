import {setTimeout as sleep} from 'node:timers/promises';
import {useApp} from 'ink';

/**
 * Stops this process and its group as Ctrl-Z does where a terminal is not raw; continues when the shell continues it.
 * The kernel ignores it where no shell could continue the group.
 */
async function stopUntilContinued(): Promise<void> {
  process.kill(0, 'SIGTSTP');
  // The signal may reach another thread first: nothing is drawn before it has stopped all of them.
  await sleep(50);
}

/** Ctrl-Z on a screen that reads keys itself: gives the terminal back, stops, and draws the screen again afterwards. */
export function useSuspension(around: (stop: () => Promise<void>) => Promise<void> = stop => stop()) {
  const {suspendTerminal} = useApp();
  return (input: string, key: {readonly ctrl: boolean}): boolean => {
    if (!key.ctrl || input !== 'z' || process.platform === 'win32') return false;
    void suspendTerminal(() => around(stopUntilContinued));
    return true;
  };
}

const showCursor = '\u001b[?25h';
const hideCursor = '\u001b[?25l';

/** For a display that reads no keys: Ctrl-Z stops it as any program, but its shell gets the cursor. Returns how to end this. */
export function cursorWhileStopped(stream: NodeJS.WriteStream): () => void {
  if (process.platform === 'win32') return () => {};
  let isOver = false;
  const stop = async () => {
    // Without a listener the signal stops the process as the kernel sees fit.
    process.off('SIGTSTP', stop);
    stream.write(showCursor);
    process.kill(process.pid, 'SIGTSTP');
    await sleep(50);
    if (isOver) return;
    stream.write(hideCursor);
    process.on('SIGTSTP', stop);
  };
  process.on('SIGTSTP', stop);
  return () => {
    isOver = true;
    process.off('SIGTSTP', stop);
  };
}
