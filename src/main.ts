import {Config, Plugin, run} from '@oclif/core';
import packageJson from '../package.json' with {type: 'json'};
import {nearestNames} from './cluster/nearest.js';
import {commands} from './commands/map.js';
import {withNotes} from './commands/notes.js';
import {ExitCode, WinError} from './errors.js';
import {putExamplesFirst} from './help-order.js';
import {plain} from './untrusted.js';

const topics = {
  completion: 'Complete kubectl win with the Tab key',
  helper: 'The helper on the nodes: print, keep, show, remove',
};

const packageInfo = {
  ...packageJson,
  oclif: {
    bin: 'kubectl win',
    topicSeparator: ' ',
    commands: {strategy: 'explicit', target: 'bundled'},
    topics: Object.fromEntries(Object.entries(topics).map(([name, description]) => [name, {description}])),
    additionalHelpFlags: ['-h'],
  },
};

/** oclif without files on disk: the commands are a map in the bundle instead of a folder to search. */
async function loadConfig(): Promise<Config> {
  const root = import.meta.dirname;
  const pjson = packageInfo as unknown as Plugin['pjson'];
  const plugin = new Plugin({ignoreManifest: true, isRoot: true, pjson, root} as ConstructorParameters<
    typeof Plugin
  >[0]);
  Object.assign(plugin, {loadCommandsFromTarget: async () => withNotes(commands)});
  await plugin.load();
  return Config.load({root, pjson, plugins: new Map([[plugin.name, plugin]]) as never});
}

async function main(argv: string[]): Promise<void> {
  const [name, ...words] = argv;
  if (name === '__complete') {
    // Not a command of oclif, which would take --help among the words for its own.
    const {answer} = await import('./completion/run.js');
    process.stdout.write(await answer(words, commands, topics));
    return;
  }
  putExamplesFirst();
  const config = await loadConfig();
  refuseUnknownCommand(argv, config);
  await run(argv, config);
}

function refuseUnknownCommand([name]: string[], config: Config): void {
  if (
    name === undefined ||
    name.startsWith('-') ||
    name === 'help' ||
    config.commandIDs.some(id => id === name || id.startsWith(`${name}:`))
  )
    return;
  const [close] = nearestNames(name, config.commandIDs);
  throw new WinError(`unknown command "${name}".`, {
    next: [close ? `Did you mean "kubectl win ${close}"?` : 'See: kubectl win --help'],
  });
}

function report(error: unknown, verbose: boolean): ExitCode {
  const {message, exit, next} = describe(error);
  process.stderr.write(`error: ${plain(message)}\n`);
  for (const line of next) process.stderr.write(`  ${line}\n`);
  if (verbose && error instanceof Error)
    process.stderr.write(`${error.stack}\n${error.cause instanceof Error ? `cause: ${error.cause.stack}\n` : ''}`);
  return exit;
}

function describe(error: unknown): {message: string; exit: ExitCode; next: readonly string[]} {
  if (error instanceof WinError) return {message: usageMessage(error), exit: error.exit, next: error.next};
  if (error instanceof Error && 'oclif' in error)
    return {message: usageMessage(error), exit: ExitCode.usage, next: ['See: kubectl win COMMAND --help']};
  const message = error instanceof Error ? error.message : String(error);
  return {message: `unexpected: ${message}`, exit: ExitCode.uninspected, next: ['Run it again with -v to see where.']};
}

/** oclif puts the flag before a message of ours and an advice of its own after it, each on its own line. */
function usageMessage({message}: Error): string {
  const lines = message.split('\n').map(line => line.trim());
  return lines.filter(line => line !== '' && !/^Parsing --|^See more help/.test(line)).join(' ');
}

function exitCodeOf(error: unknown): number | undefined {
  const code = (error as {oclif?: {exit?: number}})?.oclif?.exit;
  return error instanceof Error && error.message.startsWith('EEXIT') ? code : undefined;
}

const argv = process.argv.slice(2);
try {
  await main(argv);
} catch (error) {
  process.exitCode = exitCodeOf(error) ?? report(error, argv.includes('-v') || argv.includes('--verbose'));
}
