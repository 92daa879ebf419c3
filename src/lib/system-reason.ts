import {getSystemErrorMap} from 'node:util';

/** Why the operating system refused something: "no space left on device". */
export function systemReason(error: unknown): string {
  const {errno, message} = error as NodeJS.ErrnoException;
  return (errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1]) ?? message ?? String(error);
}
