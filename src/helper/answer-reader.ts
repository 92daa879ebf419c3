import {createHash} from 'node:crypto';
import {type Bounds, bounds} from '../lib/data-bounds.js';
import {ExitCode, WinError} from '../lib/errors.js';
import {printable} from '../lib/untrusted.js';
import {LimitExceeded, parseWholeNumbers} from '../lib/whole-numbers.js';
import {LineSplitter} from './line-splitter.js';
import {protocol} from './protocol.js';
import {scriptHash} from './script.js';
import {type HelperMessage, helperMessage} from './wire.js';

type Hello = Extract<HelperMessage, {type: 'hello'}>;
type End = Extract<HelperMessage, {type: 'end'}>;
/**
 * A section that is not parsed when it arrives, because it takes more memory as objects than as text. The hash of the
 * answer covers it; `readLongSection` parses its line.
 */
export interface LongSection {
  readonly type: 'long section';
  readonly name: string;
}

/** A message between the helper's first and last line. */
export type Reply = Exclude<HelperMessage, {type: 'hello' | 'end' | 'error'}> | LongSection;

/** Called with each reply and its line, which is valid only during the call. */
export type OnReply = (reply: Reply, line: Buffer) => void;

/** No node sends more than this; anything larger is not our helper. */
const mebibyte = 1024 * 1024;
const maxBytes = 64 * mebibyte;
const maxLineBytes = 32 * mebibyte;
const maxNoiseLength = 4096;
const lineBounds: Bounds = {depth: bounds.depth, values: 500_000};
const maxNoiseLines = 200;

/** The section in the line of a long one. Throws if the line is not valid. */
export function readLongSection(line: string): Extract<HelperMessage, {type: 'section'}> {
  const message = helperMessage.parse(parseWholeNumbers(line, lineBounds));
  if (message.type !== 'section') throw new Error(`a section was expected, not "${message.type}"`);
  return message;
}

/** Data from this size on stays text. */
const longBytes = 4096;
const startOfSection = /^\{"type":"section","name":"([A-Za-z]{1,40})","ms":\d{1,10},"data":/;
const mostOfStart = 100;

function longSection(line: Buffer): LongSection | undefined {
  if (line.length < longBytes) return undefined;
  const name = startOfSection.exec(line.toString('latin1', 0, mostOfStart))?.[1];
  return name === undefined ? undefined : {type: 'long section', name};
}

/** The helper refused a request. `kind` is the reason: `Busy`, `Blocked`, `BadRequest`, … */
export class HelperRefusal extends WinError {
  readonly kind: string;

  constructor(node: string, kind: string, message: string) {
    super(`The helper on ${node} refused: ${printable(message)}`, {exit: ExitCode.uninspected});
    this.name = 'HelperRefusal';
    this.kind = kind;
  }
}

/** Reads one answer of a helper as it arrives, and checks that it is complete. */
export class AnswerReader {
  hello: Hello | undefined;
  /** Lines that are not from the helper, such as a banner or profile output. */
  readonly noise: string[] = [];
  readonly #node: string;
  readonly #onReply: OnReply;
  readonly #splitter = new LineSplitter(line => this.#take(line));
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #lines = 0;
  #end: End | undefined;
  #fault: string | undefined;

  constructor(node: string, onReply: OnReply) {
    this.#node = node;
    this.#onReply = onReply;
  }

  /** Throws if the helper is not ours, refuses the request, or sends too much. */
  write(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > maxBytes) throw this.#tooMuch(`sent more than ${maxBytes / mebibyte} MiB`);
    this.#splitter.write(chunk);
    if (this.#splitter.pending > maxLineBytes)
      throw this.#tooMuch(`sent a line longer than ${maxLineBytes / mebibyte} MiB`);
  }

  #tooMuch(what: string): WinError {
    return new WinError(`The helper on ${this.#node} ${what}; the connection was closed.`, {
      exit: ExitCode.uninspected,
    });
  }

  get ms(): number {
    return this.#end?.ms ?? 0;
  }

  /** Why the answer is incomplete, as a clause; undefined if it is complete. `why` is how the connection ended. */
  fault(why: string): string | undefined {
    if (this.#fault) return this.#fault;
    if (this.#end) return this.#mismatch(this.#end);
    const because = why ? ` (${printable(why)})` : '';
    if (this.#lines > 0) return `it ended after ${count(this.#lines)}, without the last one${because}`;
    const [said] = this.noise;
    return said === undefined
      ? `nothing was received${because}`
      : `only other text was received: "${printable(said, 120)}"${because}`;
  }

  #mismatch({lines, sha256}: End): string | undefined {
    if (lines !== this.#lines) return `received ${this.#lines} of ${count(lines)}`;
    const same = this.#hash.copy().digest('hex') === sha256.toLowerCase();
    return same ? undefined : `its ${count(lines)} were altered in transit`;
  }

  #take(line: Buffer): void {
    if (line.length === 0 || this.#end) return;
    const long = longSection(line);
    if (long) {
      this.#count(line);
      this.#understand(long, line);
      return;
    }
    const text = line.toString('utf8');
    const document = this.#asMessage(text);
    if (document === undefined) {
      if (this.noise.length < maxNoiseLines) this.noise.push(text.slice(0, maxNoiseLength));
      return;
    }
    const message = helperMessage.safeParse(document).data;
    if (message?.type === 'end') {
      this.#end = message;
      return;
    }
    this.#count(line);
    if (message) this.#understand(message, line);
    else this.#fault ??= `line ${this.#lines} is invalid`;
  }

  #count(line: Buffer): void {
    this.#lines += 1;
    this.#hash.update(line).update('\n');
  }

  /** An object with a type is a message from the helper; everything else is noise. */
  #asMessage(text: string): object | undefined {
    if (!text.startsWith('{')) return undefined;
    try {
      const document = parseWholeNumbers(text, lineBounds);
      const {type} = document as {type?: unknown};
      return typeof type === 'string' ? (document as object) : undefined;
    } catch (error) {
      if (error instanceof LimitExceeded) throw this.#tooMuch(`sent a line that is too large: ${error.message}`);
      return undefined;
    }
  }

  #understand(message: Exclude<HelperMessage, End> | LongSection, line: Buffer): void {
    if (message.type === 'hello') {
      this.hello = message;
      this.#checkHello(message);
    } else if (message.type === 'error') {
      throw new HelperRefusal(this.#node, message.kind, message.message);
    } else if (!this.hello) {
      this.#fault ??= 'it did not start with a greeting';
    } else {
      this.#onReply(message, line);
    }
  }

  #checkHello(hello: Hello): void {
    const wrong =
      hello.protocol !== protocol
        ? `uses protocol ${hello.protocol}, but this client requires ${protocol}`
        : hello.scriptHash.toLowerCase() !== scriptHash &&
          `runs a different script (${printable(hello.scriptHash).slice(0, 12)}) than this client sent (${scriptHash.slice(0, 12)})`;
    if (!wrong) return;
    throw new WinError(`The helper on ${this.#node} ${wrong}; it was not used.`, {
      exit: ExitCode.uninspected,
      next: [
        'If helpers are installed in the cluster, update them: kubectl win helper install',
        'Otherwise something has changed the ConfigMap: inspect it.',
      ],
    });
  }
}

const count = (lines: number) => (lines === 1 ? '1 line' : `${lines} lines`);
