import {type DoctorChange, DoctorChanges, failedRun} from '../../diagnose/changes.js';
import type {DoctorReport} from '../../diagnose/report.js';
import {WinError} from '../../lib/errors.js';
import {pause} from '../../lib/pause.js';

export interface WatchPorts {
  /** Inspects the nodes once. */
  look(): Promise<DoctorReport>;
  /** Called after every inspection, even if nothing has changed. */
  looked(changes: readonly DoctorChange[], report: DoctorReport | undefined): void;
}

/** Inspects periodically until aborted. The first inspection must succeed; later failures are reported and retried. */
export async function watchNodes(ports: WatchPorts, intervalMs: number, signal: AbortSignal): Promise<never> {
  const changes = new DoctorChanges();
  let hasLooked = false;
  for (;;) {
    try {
      const report = await ports.look();
      ports.looked(changes.next(report), report);
      hasLooked = true;
    } catch (error) {
      signal.throwIfAborted();
      if (!hasLooked || !(error instanceof WinError)) throw error;
      ports.looked([failedRun(new Date(), error.message)], undefined);
    }
    await pause(intervalMs, signal);
  }
}
