import packageJson from '../package.json' with {type: 'json'};
import {type CommandWords, readWords} from './cli/command-words.js';
import {usageError, usageMessage} from './cli/usage-error.js';
import {commands} from './commands/map.js';
import {ExitCode, WinError} from './lib/errors.js';
import {systemReason} from './lib/system-reason.js';
import {plain, withoutPassword} from './lib/untrusted.js';

async function main(argv: readonly string[]): Promise<ExitCode> {
  const [first, ...words] = argv;
  if (first === '__complete') {
    const [{answer}, {default: facts}] = await Promise.all([
      import('./cli/completion/answer-kubectl.js'),
      import('virtual:commands'),
    ]);
    process.stdout.write(await answer(words, facts));
    return ExitCode.ok;
  }
  if (first === '--version') {
    const {name, version} = packageJson;
    process.stdout.write(`${name}/${version} ${process.platform}-${process.arch} node-${process.version}\n`);
    return ExitCode.ok;
  }
  const asked = await readCommand(argv);
  if (asked.help) {
    const [{helpOf}, {default: facts}] = await Promise.all([import('./cli/help.js'), import('virtual:commands')]);
    process.stdout.write(helpOf(asked.name, facts));
    return ExitCode.ok;
  }
  const Command = (await commands[asked.name]?.())?.default;
  if (!Command) return ExitCode.ok;
  guardOutput();
  try {
    return await new Command(asked.argv).execute();
  } catch (error) {
    if (!(error instanceof Error) || !('oclif' in error) || error instanceof WinError) throw error;
    const {default: facts} = await import('virtual:commands');
    throw usageError(error, asked.name, facts);
  }
}

/** An unknown name may be an alias. Aliases are in the command data, which is loaded only then. */
async function readCommand(argv: readonly string[]): Promise<CommandWords> {
  const names = Object.keys(commands);
  try {
    return readWords(argv, names);
  } catch (error) {
    const [{aliasesIn}, {default: facts}] = await Promise.all([
      import('./cli/command-facts.js'),
      import('virtual:commands'),
    ]);
    const aliases = aliasesIn(facts);
    if (Object.keys(aliases).length === 0) throw error;
    return readWords(argv, names, aliases);
  }
}

function report(error: unknown, verbose: boolean): ExitCode {
  const {message, exit, next} = describe(error);
  process.stderr.write(`error: ${plain(message)}\n`);
  for (const line of next) process.stderr.write(`  ${plain(line)}\n`);
  if (verbose && error instanceof Error) {
    const stacks = `${error.stack}\n${error.cause instanceof Error ? `cause: ${error.cause.stack}\n` : ''}`;
    process.stderr.write(`${withoutPassword(stacks).split('\n').map(plain).join('\n')}`);
  }
  return exit;
}

function describe(error: unknown): {message: string; exit: ExitCode; next: readonly string[]} {
  if (error instanceof WinError) return {message: usageMessage(error), exit: error.exit, next: error.next};
  const message = error instanceof Error ? error.message : String(error);
  return {
    message: `unexpected: ${message}`,
    exit: ExitCode.uninspected,
    next: ['Run the command again with -v for details.'],
  };
}

const outputError = (cause: unknown): WinError =>
  new WinError(`cannot write to stdout: ${systemReason(cause)}.`, {exit: ExitCode.uninspected, cause});

let unwritten: unknown;

/**
 * The reader of the output may exit early, like `head`: the command continues and removes what it created.
 * oclif's listener would throw.
 */
function guardOutput(): void {
  process.stdout.removeAllListeners('error');
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') unwritten ??= error;
  });
}

guardOutput();
process.on('exit', () => {
  if (unwritten !== undefined) process.exitCode = report(outputError(unwritten), false);
});
// There is nowhere left to report it.
process.stderr.on('error', () => {});

const argv = process.argv.slice(2);
// Not awaited: chunks import from this file, and would wait for it to finish.
void main(argv)
  .catch(error => report(error, argv.includes('-v') || argv.includes('--verbose')))
  .then(code => {
    process.exitCode = code;
  });
