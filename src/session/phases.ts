/** How many nodes may be in each phase in parallel. */
export interface PhaseLimits {
  readonly starting: number;
  readonly reading: number;
}

/** The number of parallel execs that an API server handles easily. */
const mostReading = 64;

/**
 * Pods of the next nodes start while others are read. By default twice as many start as are read, because starting often
 * takes longer: a starting pod waits for its kubelet and costs the API server nothing meanwhile. The number of parallel
 * requests that create pods is limited in `HelperRun`.
 */
export function phaseLimits(nodes: number, concurrency: number | undefined): PhaseLimits {
  const reading = Math.max(1, Math.min(concurrency ?? mostReading, nodes));
  return {reading, starting: concurrency === undefined ? Math.max(1, Math.min(2 * reading, nodes)) : reading};
}
