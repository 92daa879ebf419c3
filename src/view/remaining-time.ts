/** Progress and remaining time of a run over many nodes. */
export class Pace {
  total = 0;
  done = 0;
  failed = 0;
  #beganAt = 0;

  begin(total: number, now: number): void {
    this.total = total;
    this.done = 0;
    this.failed = 0;
    this.#beganAt = now;
  }

  ended(isRead: boolean): void {
    this.done += 1;
    if (!isRead) this.failed += 1;
  }

  /** One line: nodes done, nodes failed, and the remaining time at the pace so far. */
  text(now: number): string {
    const {total, done, failed} = this;
    const left = this.#leftSeconds(now);
    return [
      `${done} of ${total} node${total === 1 ? '' : 's'}`,
      failed > 0 && `${failed} not inspected`,
      left !== undefined && `about ${timeText(left)} left`,
    ]
      .filter(Boolean)
      .join(', ');
  }

  /** A progress bar of this width. */
  bar(columns: number): string {
    const full = this.total > 0 ? Math.floor((this.done / this.total) * columns) : 0;
    return `${'█'.repeat(full)}${'░'.repeat(columns - full)}`;
  }

  /** Undefined until enough nodes are done for an estimate. */
  #leftSeconds(now: number): number | undefined {
    const elapsed = (now - this.#beganAt) / 1000;
    if (this.done < enough || this.done >= this.total || elapsed < 2) return undefined;
    return (elapsed / this.done) * (this.total - this.done);
  }
}

const enough = 5;

/** Rounded, so that it does not change constantly. */
function timeText(seconds: number): string {
  if (seconds < 10) return `${Math.max(1, Math.round(seconds))} s`;
  return seconds < 100 ? `${Math.round(seconds / 5) * 5} s` : `${Math.round(seconds / 60)} min`;
}
