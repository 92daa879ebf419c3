import {randomBytes} from 'node:crypto';
import {WinError} from '../lib/errors.js';
import {powerShellText} from '../lib/quote.js';
import {powerShellPath} from './manifests.js';

/** The runtime starts commands through cmd.exe, which limits a line to 8,191 characters. */
const longestLine = 8000;

/** Base64, because cmd.exe would interpret % ^ & | < >. */
const encoded = (script: string) => Buffer.from(script, 'utf16le').toString('base64');

/** Interactive PowerShell. The prompt names the node, like Enter-PSSession. */
export function interactiveShell(node: string): readonly string[] {
  const start = [
    `function prompt { ${powerShellText(`[${node}]: PS `)} + $executionContext.SessionState.Path.CurrentLocation + '> ' }`,
    "Set-Location -LiteralPath ($env:SystemDrive + '\\')",
  ].join('\n');
  const flags = ['-NoLogo', '-NoProfile', '-ExecutionPolicy', 'Bypass', '-NoExit'];
  return [powerShellPath, ...flags, '-EncodedCommand', encoded(start)];
}

// With an encoded command, progress would be written to stderr as XML.
const before = "$ProgressPreference = 'SilentlyContinue'\n$global:LASTEXITCODE = 0\ntry {\n";
/** As in other shells, the last statement determines the exit code; for a failed program, it is the program's exit code. */
const after = (mark: string) => `
$worked = $?
} finally { [Console]::Error.Write('${mark}') }
if ($worked) { exit 0 }
if ($LASTEXITCODE -is [int] -and $LASTEXITCODE -ne 0) { exit $LASTEXITCODE }
exit 1`;

export interface ShellCommand {
  readonly words: readonly string[];
  /** Written to stderr at the end: an API server may report success for output that was cut off. */
  readonly mark: string;
}

/** PowerShell that runs the user's command and exits with its exit code. */
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

/** One word is a script. Several words are a command and its arguments, which are quoted. */
function scriptOf(words: readonly string[]): string {
  const [first = '', ...others] = words;
  if (others.length === 0) return first;
  return ['&', powerShellText(first), ...others.map(word => (isParameter(word) ? word : powerShellText(word)))].join(
    ' ',
  );
}

/** `-Name`, which would be a value if quoted. */
const isParameter = (word: string) => /^-[a-z]\w*$/i.test(word);

/** The user's script in a command line created by this module. */
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

/** Removes the mark from the output, and records whether it was found. */
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

  /** Returns the output so far. Text that may be the start of the mark is held back. */
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

  /** Returns the text that is still held back at the end. */
  rest(): Buffer {
    return this.#held;
  }
}
