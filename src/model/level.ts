/** What a repair may do: restart; remove stale state and restart; remove the network and have it recreated. */
export const levels = ['soft', 'medium', 'hard'] as const;

export type Level = (typeof levels)[number];

export function isWithin(level: Level, limit: Level): boolean {
  return levels.indexOf(level) <= levels.indexOf(limit);
}

export function hardest(all: readonly Level[]): Level | undefined {
  return levels.findLast(level => all.includes(level));
}
