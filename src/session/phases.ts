/** How many nodes may be in each phase at once. Starting a pod is dearer for the API server than one exec. */
export interface PhaseLimits {
  readonly starting: number;
  readonly reading: number;
}

/** Where nobody says how many: all nodes of a small fleet, and never more than an API server carries without noticing. */
const usualMost = 64;
const mostStarting = 48;

/** Pods of the next nodes start while others are read, so that up to this many nodes are in both phases together. */
export function phaseLimits(nodes: number, concurrency: number | undefined): PhaseLimits {
  const reading = Math.max(1, Math.min(concurrency ?? usualMost, nodes));
  return {reading, starting: Math.min(reading, Math.max(mostStarting, Math.ceil(reading * 0.75)))};
}
