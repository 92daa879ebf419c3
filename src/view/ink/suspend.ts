import {setTimeout as sleep} from 'node:timers/promises';
import {useApp} from 'ink';
import {useEffect} from 'react';

const wholeGroup = 0;

/**
 * Stops a process, or this one's group as Ctrl-Z does if the terminal is not in raw mode, until the shell continues it.
 * The kernel ignores the signal if there is no shell to continue the group.
 */
async function stopUntilContinued(who: number): Promise<void> {
  process.kill(who, 'SIGTSTP');
  // The signal may reach another thread first: draw nothing until it has stopped all threads.
  await sleep(50);
}

/** Ctrl-Z on a screen that reads keys: restores the terminal, stops, and redraws the screen afterwards. */
export function useSuspension(around: (stop: () => Promise<void>) => Promise<void> = stop => stop()) {
  const {suspendTerminal} = useApp();
  return (input: string, key: {readonly ctrl: boolean}): boolean => {
    if (!key.ctrl || input !== 'z' || process.platform === 'win32') return false;
    void suspendTerminal(() => around(() => stopUntilContinued(wholeGroup)));
    return true;
  };
}

/**
 * Ctrl-Z on a display that reads no keys: the terminal sends the signal. The display is cleared first, so that the shell
 * gets its cursor back and its output is not overwritten afterwards.
 */
export function useStopSignal(): void {
  const {suspendTerminal} = useApp();
  useEffect(() => {
    if (process.platform === 'win32') return;
    let isOver = false;
    const stop = async () => {
      // Without a listener the signal stops the process.
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
