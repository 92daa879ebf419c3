/** The reason in a system error: "no space left on device" from "ENOSPC: no space left on device, write". */
export function systemReason(error: unknown): string {
  const {message = String(error)} = error as Partial<Error>;
  return /^E[A-Z0-9]+: ([^,]+)/.exec(message)?.[1] ?? message;
}
