/** How many nodes may be in each phase at once. */
export interface PhaseLimits {
  readonly starting: number;
  readonly reading: number;
}

/** Execs at once that an API server does not notice. */
const mostReading = 64;

/**
 * Pods of the next nodes start while others are read. By default twice as many start as are read, because starting often
 * takes longer: a pod that starts waits for its own kubelet and costs the API server nothing meanwhile. How many requests
 * create pods at once is limited elsewhere (`HelperRun`).
 */
export function phaseLimits(nodes: number, concurrency: number | undefined): PhaseLimits {
  const reading = Math.max(1, Math.min(concurrency ?? mostReading, nodes));
  return {reading, starting: concurrency === undefined ? Math.max(1, Math.min(2 * reading, nodes)) : reading};
}
