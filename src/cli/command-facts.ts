import type {CommandClass, Example} from './command.js';
import type {Candidate} from './completion/complete.js';
import type {ExitCodes} from './exit-codes-and-roles.js';

/** The description of a command as data, so that help, documentation and completion do not load its code. */
export interface CommandFacts {
  readonly summary: string;
  readonly description: string;
  readonly examples: readonly Example[];
  /** The forms of the command line after `kubectl win`. */
  readonly usage: readonly string[];
  /** Alternative names. */
  readonly aliases?: readonly string[];
  readonly exitCodes: string;
  readonly rbac: string;
  readonly args: readonly {readonly name: string; readonly description: string}[];
  /** Whether the last argument may be repeated. */
  readonly anyNumber: boolean;
  readonly flags: Readonly<Record<string, FlagFacts>>;
}

export interface FlagFacts {
  readonly summary: string;
  readonly group?: string;
  readonly char?: string;
  /** The placeholder of its value; undefined: a boolean flag. */
  readonly value?: string;
  /** The allowed values, if there are few. */
  readonly values?: readonly string[];
  /** The possible values for completion, if there are many. */
  readonly candidates?: readonly Candidate[];
  readonly default?: string;
  readonly many?: boolean;
  /** Whether it has a `--no-` form. */
  readonly negatable?: boolean;
}

export type Facts = Readonly<Record<string, CommandFacts>>;

/** All aliases, with their commands. */
export const aliasesIn = (facts: Facts): Record<string, string> =>
  Object.fromEntries(Object.entries(facts).flatMap(([name, {aliases = []}]) => aliases.map(alias => [alias, name])));

type Flag = CommandClass['flags'][string];

export async function factsOf(name: string, command: CommandClass): Promise<CommandFacts> {
  const args = Object.entries(command.args).map(([arg, {description: text = '', required = false}]) => ({
    ...{name: arg, description: text, required},
  }));
  const anyNumber = !command.strict && args.length > 0;
  const words = args.map((arg, i) => argumentText(arg, anyNumber && i === args.length - 1));
  const {usage = [name, ...words, '[options]'].join(' ')} = command;
  const flags = Object.entries(command.flags).map(async ([flag, its]) => [flag, await flagFacts(its)] as const);
  return {
    ...{summary: command.summary, description: command.description.trim(), examples: command.examples, anyNumber},
    ...(command.aliases.length > 0 && {aliases: command.aliases.map(alias => alias.replaceAll(':', ' '))}),
    usage: [usage].flat(),
    exitCodes: exitCodesText(command.exitCodes),
    rbac: [command.roles.join(', ') || 'none', command.rolesNote].filter(Boolean).join('; '),
    args: args.map(({name: arg, description: text}) => ({name: arg, description: text})),
    flags: Object.fromEntries(await Promise.all(flags)),
  };
}

function argumentText({name, required}: {name: string; required: boolean}, many: boolean): string {
  const text = `${name.toUpperCase()}${many ? '...' : ''}`;
  return required ? text : `[${text}]`;
}

function exitCodesText({others, ...codes}: ExitCodes): string {
  const lines = Object.entries(codes).map(([code, text]) => `  ${code}  ${text}`);
  return [...(others === undefined ? [] : [`  ${others}`]), ...lines].join('\n');
}

async function flagFacts(flag: Flag): Promise<FlagFacts> {
  const {summary = '', helpGroup, char} = flag;
  const common = {summary, ...(helpGroup && {group: helpGroup}), ...(char && {char})};
  if (flag.type === 'boolean') return {...common, ...(flag.allowNo && {negatable: true})};
  const help = flag.helpValue?.toString();
  const {candidates} = flag as {candidates?: readonly Candidate[]};
  const values = flag.options ?? /^\((.+)\)$/.exec(help ?? '')?.[1]?.split('|');
  const standard = await defaultText(flag);
  return {
    ...common,
    value: values ? `(${values.join('|')})` : (help ?? '<value>'),
    // For a value such as jsonpath=TEMPLATE, complete the prefix.
    ...(values && {values: values.map(value => value.replace(/=.*/, '='))}),
    ...(candidates && {candidates}),
    ...(standard && {default: standard}),
    ...(flag.multiple && {many: true}),
  };
}

async function defaultText(flag: Extract<Flag, {type: 'option'}>): Promise<string | undefined> {
  const {defaultHelp, default: standard} = flag;
  const text = typeof defaultHelp === 'function' ? await defaultHelp({options: flag, flags: {}}) : defaultHelp;
  return text ?? (standard === undefined ? undefined : String(standard));
}
