import {endingsOf, rightsOf} from '../commands/notes.js';
import type {CommandClass, Example} from './command.js';

/** What a command is, as data: for its help, its page and its completion, none of which then loads its flags. */
export interface CommandFacts {
  readonly summary: string;
  readonly description: string;
  readonly examples: readonly Example[];
  /** The words after `kubectl win`, one way to write them each. */
  readonly usage: readonly string[];
  readonly exitCodes: string;
  readonly rbac: string;
  readonly args: readonly {readonly name: string; readonly description: string}[];
  /** Whether the last argument may come any number of times. */
  readonly anyNumber: boolean;
  readonly flags: Readonly<Record<string, FlagFacts>>;
}

export interface FlagFacts {
  readonly summary: string;
  readonly group?: string;
  readonly char?: string;
  /** What its value is called; without one it is a switch. */
  readonly value?: string;
  /** What its value can be, where that is a short list. */
  readonly values?: readonly string[];
  readonly default?: string;
  readonly many?: boolean;
  /** Whether `--no-` before its name turns it off. */
  readonly negatable?: boolean;
}

export type Facts = Readonly<Record<string, CommandFacts>>;

type Flag = CommandClass['flags'][string];

export async function factsOf(name: string, command: CommandClass): Promise<CommandFacts> {
  const [description = '', ...notes] = command.description.trim().split(/\n*^(EXIT CODES|RBAC)\n/m);
  const note = (heading: string) => notes.find((_, i) => notes[i - 1] === heading)?.trimEnd();
  const args = Object.entries(command.args).map(([arg, {description: text = '', required = false}]) => ({
    ...{name: arg, description: text, required},
  }));
  const anyNumber = !command.strict && args.length > 0;
  const words = args.map((arg, i) => argumentText(arg, anyNumber && i === args.length - 1));
  const {usage = [name, ...words, '[options]'].join(' ')} = command;
  const flags = Object.entries(command.flags).map(async ([flag, its]) => [flag, await flagFacts(its)] as const);
  return {
    ...{summary: command.summary, description, examples: command.examples, anyNumber},
    usage: [usage].flat(),
    exitCodes: note('EXIT CODES') ?? endingsOf(name),
    rbac: note('RBAC')?.trim() ?? rightsOf(name),
    args: args.map(({name: arg, description: text}) => ({name: arg, description: text})),
    flags: Object.fromEntries(await Promise.all(flags)),
  };
}

function argumentText({name, required}: {name: string; required: boolean}, many: boolean): string {
  const text = `${name.toUpperCase()}${many ? '...' : ''}`;
  return required ? text : `[${text}]`;
}

async function flagFacts(flag: Flag): Promise<FlagFacts> {
  const {summary = '', helpGroup, char} = flag;
  const common = {summary, ...(helpGroup && {group: helpGroup}), ...(char && {char})};
  if (flag.type === 'boolean') return {...common, ...(flag.allowNo && {negatable: true})};
  const help = flag.helpValue?.toString();
  const values = flag.options ?? /^\((.+)\)$/.exec(help ?? '')?.[1]?.split('|');
  const standard = await defaultText(flag);
  return {
    ...common,
    value: values ? `(${values.join('|')})` : (help ?? '<value>'),
    ...(values && {values}),
    ...(standard && {default: standard}),
    ...(flag.multiple && {many: true}),
  };
}

async function defaultText(flag: Extract<Flag, {type: 'option'}>): Promise<string | undefined> {
  const {defaultHelp, default: standard} = flag;
  const text = typeof defaultHelp === 'function' ? await defaultHelp({options: flag, flags: {}}) : defaultHelp;
  return text ?? (standard === undefined ? undefined : String(standard));
}
