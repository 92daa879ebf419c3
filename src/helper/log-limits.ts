/** Limits for reading logs, in bytes. `usual` is the default per log. */
export const logBounds = {least: 1024, usual: 16 * 1024, most: 1024 * 1024, mostInAll: 16 * 1024 * 1024};

export interface LogLimits {
  /** Bytes from the end of each log. */
  readonly bytes: number;
  readonly bytesInAll: number;
}
