import type {ChildProcess} from 'node:child_process';

/** The streams of an exec. */
export interface ProcessStreams {
  readonly stdin: AsyncIterable<Uint8Array>;
  stdout(bytes: Uint8Array): Promise<void>;
  stderr(bytes: Uint8Array): Promise<void>;
  readonly signal: AbortSignal;
}

/** Connects the streams of a process until it exits, and returns its exit code. */
export async function untilEnd(
  child: ChildProcess,
  streams: ProcessStreams,
  stop: (child: ChildProcess) => void,
): Promise<number> {
  const {stdin, stdout, stderr} = child;
  if (!stdin || !stdout || !stderr) throw new Error('the process has no standard streams');
  const ended = new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', code => resolve(code ?? 1));
  });
  const end = () => stop(child);
  streams.signal.addEventListener('abort', end, {once: true});
  // Client input may never end; a process that has exited ignores it.
  stdin.on('error', () => undefined);
  void pump(streams.stdin, bytes => stdin.write(bytes));
  const output = Promise.all([
    pump(stdout, bytes => streams.stdout(bytes)),
    pump(stderr, bytes => streams.stderr(bytes)),
  ]);
  const exitCode = await ended;
  await output;
  streams.signal.removeEventListener('abort', end);
  return exitCode;
}

async function pump(from: AsyncIterable<Uint8Array>, to: (bytes: Uint8Array) => unknown): Promise<void> {
  try {
    for await (const bytes of from) await to(bytes);
  } catch {
    // The other end is gone: the reader detects that the answer is incomplete.
  }
}
