import {vi} from 'vitest';

/** Retries until the result is not false. Fails after four minutes, with what was waited for. */
export async function eventually<T>(what: string, ask: () => T | undefined | Promise<T | undefined>): Promise<T> {
  return vi.waitFor(
    async () => {
      const answer = await ask();
      if (answer === undefined || answer === false) throw new Error(`timed out waiting for ${what}`);
      return answer;
    },
    {timeout: 240_000, interval: 100},
  );
}
