import {randomBytes} from 'node:crypto';
import {WinError} from '../lib/errors.js';
import {powerShellText} from '../lib/quote.js';
import {powerShellPath} from './manifests.js';

/** cmd.exe, which the runtime puts around a command, takes no longer line than 8,191 characters. */
const longestLine = 8000;

/** Whatever the words are, a command line carries them as base64: % ^ & | < > mean something to cmd.exe. */
const encoded = (script: string) => Buffer.from(script, 'utf16le').toString('base64');

/** PowerShell for a person. The prompt names the node, as Enter-PSSession does it. */
export function interactiveShell(node: string): readonly string[] {
  const start = [
    `function prompt { ${powerShellText(`[${node}]: PS `)} + $executionContext.SessionState.Path.CurrentLocation + '> ' }`,
    "Set-Location -LiteralPath ($env:SystemDrive + '\\')",
  ].join('\n');
  const flags = ['-NoLogo', '-NoProfile', '-ExecutionPolicy', 'Bypass', '-NoExit'];
  return [powerShellPath, ...flags, '-EncodedCommand', encoded(start)];
}

// Progress would be written to stderr as XML where the command is encoded.
const before = "$ProgressPreference = 'SilentlyContinue'\n$global:LASTEXITCODE = 0\ntry {\n";
/** As in other shells, the last statement decides; of a program that failed, its exit code. */
const after = (mark: string) => `
$worked = $?
} finally { [Console]::Error.Write('${mark}') }
if ($worked) { exit 0 }
if ($LASTEXITCODE -is [int] -and $LASTEXITCODE -ne 0) { exit $LASTEXITCODE }
exit 1`;

export interface ShellCommand {
  readonly words: readonly string[];
  /** The last thing that it writes to stderr: an API server can report success for what was cut off. */
  readonly mark: string;
}

/** PowerShell that runs what a person gave, and exits with its code. */
export function commandShell(words: readonly string[]): ShellCommand {
  const mark = `<kubectl-win end ${randomBytes(8).toString('hex')}>`;
  const flags = ['-NoLogo', '-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-OutputFormat', 'Text'];
  const script = `${before}${scriptOf(words)}${after(mark)}`;
  const command = [powerShellPath, ...flags, '-EncodedCommand', encoded(script)];
  if (command.join(' ').length > longestLine) {
    throw new WinError('the command is too long for a Windows command line (about 2,700 characters).', {
      next: ['Start an interactive shell and paste it there: kubectl win shell NODE'],
    });
  }
  return {words: command, mark};
}

/** One word is a script. Several are a command and its arguments, which stay what they are. */
function scriptOf(words: readonly string[]): string {
  const [first = '', ...others] = words;
  if (others.length === 0) return first;
  return ['&', powerShellText(first), ...others.map(word => (isParameter(word) ? word : powerShellText(word)))].join(
    ' ',
  );
}

/** `-Name`, which in quotes would be a value. */
const isParameter = (word: string) => /^-[a-z]\w*$/i.test(word);

/** What a person gave, of a command line that this file made. */
export function scriptIn(command: readonly string[]): {
  script: string;
  whole: string;
  mark: string;
  interactive: boolean;
} {
  const at = command.indexOf('-EncodedCommand');
  const whole = at < 0 ? '' : Buffer.from(command[at + 1] ?? '', 'base64').toString('utf16le');
  const mark = /<kubectl-win end \w+>/.exec(whole)?.[0] ?? '';
  const isOurs = mark !== '' && whole.startsWith(before) && whole.endsWith(after(mark));
  const script = isOurs ? whole.slice(before.length, whole.length - after(mark).length) : whole;
  return {script, whole, mark, interactive: at < 0 || command.includes('-NoExit')};
}

/** Takes the mark out of what is written, and says whether it was there. */
export class EndMark {
  readonly #mark: Buffer;
  #held: Buffer = Buffer.alloc(0);
  #seen = false;

  constructor(mark: string) {
    this.#mark = Buffer.from(mark);
  }

  get seen(): boolean {
    return this.#seen;
  }

  /** What can be shown now. What may be the beginning of the mark waits for the rest. */
  take(bytes: Uint8Array): Buffer {
    const all = Buffer.concat([this.#held, bytes]);
    const at = all.indexOf(this.#mark);
    if (at >= 0) {
      this.#seen = true;
      this.#held = Buffer.alloc(0);
      return Buffer.concat([all.subarray(0, at), all.subarray(at + this.#mark.length)]);
    }
    let held = Math.min(this.#mark.length - 1, all.length);
    while (held > 0 && !this.#mark.subarray(0, held).equals(all.subarray(all.length - held))) held -= 1;
    this.#held = all.subarray(all.length - held);
    return all.subarray(0, all.length - held);
  }

  /** What still waits when all is said. */
  rest(): Buffer {
    return this.#held;
  }
}
