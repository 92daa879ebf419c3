/** How much a repair takes: restart, remove what is stale and restart, take the network down and let it be built again. */
export const levels = ['soft', 'medium', 'hard'] as const;

export type Level = (typeof levels)[number];

export function isWithin(level: Level, limit: Level): boolean {
  return levels.indexOf(level) <= levels.indexOf(limit);
}

export function hardest(all: readonly Level[]): Level | undefined {
  return levels.findLast(level => all.includes(level));
}
