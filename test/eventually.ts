import {vi} from 'vitest';

/** Asks again and again until the answer is there. Fails after a minute, with what was waited for. */
export async function eventually<T>(what: string, ask: () => T | undefined | Promise<T | undefined>): Promise<T> {
  return vi.waitFor(
    async () => {
      const answer = await ask();
      if (answer === undefined || answer === false) throw new Error(`waited in vain for ${what}`);
      return answer;
    },
    {timeout: 60_000, interval: 100},
  );
}
