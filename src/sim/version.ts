/** The 31 of v1.31.4. */
export const minor = (version: string): number => Number(/^v\d+\.(\d+)/.exec(version)?.[1] ?? 0);
