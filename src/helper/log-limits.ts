/** What a helper reads of logs at most; without a request for more, `usual` of each. */
export const logBounds = {least: 1024, usual: 16 * 1024, most: 1024 * 1024, mostInAll: 16 * 1024 * 1024};

export interface LogLimits {
  /** Of the end of each log, in bytes. */
  readonly bytes: number;
  readonly bytesInAll: number;
}
