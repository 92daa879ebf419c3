import {setTimeout as sleep} from 'node:timers/promises';
import {useApp} from 'ink';
import {useEffect} from 'react';

const wholeGroup = 0;

/**
 * Stops a process, or this one's group as Ctrl-Z does where a terminal is not raw; continues when the shell continues it.
 * The kernel ignores it where no shell could continue the group.
 */
async function stopUntilContinued(who: number): Promise<void> {
  process.kill(who, 'SIGTSTP');
  // The signal may reach another thread first: nothing is drawn before it has stopped all of them.
  await sleep(50);
}

/** Ctrl-Z on a screen that reads keys itself: gives the terminal back, stops, and draws the screen again afterwards. */
export function useSuspension(around: (stop: () => Promise<void>) => Promise<void> = stop => stop()) {
  const {suspendTerminal} = useApp();
  return (input: string, key: {readonly ctrl: boolean}): boolean => {
    if (!key.ctrl || input !== 'z' || process.platform === 'win32') return false;
    void suspendTerminal(() => around(() => stopUntilContinued(wholeGroup)));
    return true;
  };
}

/**
 * Ctrl-Z on a display that reads no keys: the terminal sends the signal itself. The display is taken off the screen
 * first, so that the shell gets its cursor back and nothing of what it prints is drawn over afterwards.
 */
export function useStopSignal(): void {
  const {suspendTerminal} = useApp();
  useEffect(() => {
    if (process.platform === 'win32') return;
    let isOver = false;
    const stop = async () => {
      // Without a listener the signal stops the process as the kernel sees fit.
      process.off('SIGTSTP', stop);
      await suspendTerminal(() => stopUntilContinued(process.pid));
      if (!isOver) process.on('SIGTSTP', stop);
    };
    process.on('SIGTSTP', stop);
    return () => {
      isOver = true;
      process.off('SIGTSTP', stop);
    };
  }, [suspendTerminal]);
}
