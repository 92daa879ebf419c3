import {own} from '../../lib/own.js';
import type {CommandFacts, Facts, FlagFacts} from '../command-facts.js';
import {topics} from '../topics.js';

export interface Candidate {
  readonly value: string;
  readonly description?: string | undefined;
}

/** Sources of names that are not flags or commands. */
export interface Sources {
  nodes(): Promise<readonly Candidate[]>;
  adapters(): Promise<readonly Candidate[]>;
  checks(): Promise<readonly Candidate[]>;
  plugins(): Promise<readonly Candidate[]>;
  /** Plugins that preflight supports. */
  installable(): Promise<readonly Candidate[]>;
  contexts(): Promise<readonly Candidate[]>;
  clusters(): Promise<readonly Candidate[]>;
  users(): Promise<readonly Candidate[]>;
}

export interface Completion {
  readonly candidates: readonly Candidate[];
  /** Whether the shell may offer file names. */
  readonly files: boolean;
}

type Source = keyof Sources;

const argumentSources: Readonly<Record<string, Source>> = {
  node: 'nodes',
  adapter: 'adapters',
  id: 'checks',
  plugin: 'installable',
};
const flagSources: Readonly<Record<string, Source>> = {
  only: 'checks',
  skip: 'checks',
  confirm: 'nodes',
  cni: 'plugins',
  context: 'contexts',
  cluster: 'clusters',
  user: 'users',
};

const nothing: Completion = {candidates: [], files: false};

/** Candidates for the last word after `kubectl win`. */
export async function complete(words: readonly string[], commands: Facts, sources: Sources): Promise<Completion> {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const found = commandOf(before, commands);
  if (!found) return offered(nextWords(before, commands), current);
  const {command, rest} = found;
  if (rest.includes('--')) return {candidates: [], files: true};
  const {pending, args} = readWords(rest, command);
  if (pending) return valuesOf(pending.name, pending.flag, current, '', sources);
  const [, name, value] = /^--([^=]+)=(.*)$/s.exec(current) ?? [];
  const flag = name === undefined ? undefined : own(command.flags, name);
  if (name !== undefined && flag) return valuesOf(name, flag, value ?? '', `--${name}=`, sources);
  if (current.startsWith('-')) return offered(flagsOf(command, rest), current);
  const source = own(argumentSources, argumentAt(args.length, command) ?? '');
  if (!source) return nothing;
  const candidates = await sources[source]();
  return offered(
    candidates.filter(candidate => !args.includes(candidate.value)),
    current,
  );
}

function offered(candidates: readonly Candidate[], start: string): Completion {
  return {candidates: candidates.filter(({value}) => value.startsWith(start)), files: false};
}

function commandOf(words: readonly string[], commands: Facts): {command: CommandFacts; rest: string[]} | undefined {
  for (const length of [2, 1]) {
    const command = words.length >= length ? commands[words.slice(0, length).join(' ')] : undefined;
    if (command) return {command, rest: words.slice(length)};
  }
  return undefined;
}

/** The possible next words of a command's name. */
function nextWords(before: readonly string[], commands: Facts): Candidate[] {
  const start = before.map(word => `${word} `).join('');
  const words = new Map<string, string | undefined>();
  for (const [name, {summary}] of Object.entries(commands)) {
    if (!name.startsWith(start)) continue;
    const [word = '', ...others] = name.slice(start.length).split(' ');
    words.set(word, others.length > 0 ? topics[word] : summary);
  }
  return [...words].map(([value, description]) => ({value, description}));
}

/** The arguments among the words, and the flag that still needs a value, if any. */
function readWords(
  words: readonly string[],
  command: CommandFacts,
): {args: string[]; pending?: {name: string; flag: FlagFacts}} {
  const args: string[] = [];
  let pending: {name: string; flag: FlagFacts} | undefined;
  for (const word of words) {
    if (pending) pending = undefined;
    else if (word.startsWith('-')) pending = valueFlag(word, command);
    else args.push(word);
  }
  return {args, ...(pending && {pending})};
}

function valueFlag(word: string, command: CommandFacts): {name: string; flag: FlagFacts} | undefined {
  for (const [name, flag] of Object.entries(command.flags)) {
    if (flag.value && (word === `--${name}` || word === `-${flag.char}`)) return {name, flag};
  }
  return undefined;
}

function flagsOf(command: CommandFacts, used: readonly string[]): Candidate[] {
  const flags = Object.entries(command.flags)
    .filter(([name, flag]) => flag.many || !isUsed(name, flag, used))
    .flatMap(([name, {summary: description, negatable}]) => {
      const own = {value: `--${name}`, description};
      return negatable ? [own, {value: `--no-${name}`, description}] : [own];
    });
  return [...flags, {value: '--help', description: 'Show help'}];
}

function isUsed(name: string, {char}: FlagFacts, used: readonly string[]): boolean {
  return used.some(word => word === `--${name}` || word.startsWith(`--${name}=`) || (char && word === `-${char}`));
}

async function valuesOf(
  name: string,
  flag: FlagFacts,
  current: string,
  prefix: string,
  sources: Sources,
): Promise<Completion> {
  if (!flag.value) return nothing;
  const listed = flag.candidates ?? flag.values?.map(value => ({value}));
  const source = own(flagSources, name);
  if (!listed && !source) return {candidates: [], files: flag.value === '<file>'};
  // A list of values continues after its last comma.
  const list = prefix + (flag.many ? current.slice(0, current.lastIndexOf(',') + 1) : '');
  const candidates: readonly Candidate[] = listed ?? (source ? await sources[source]() : []);
  return offered(
    candidates.map(({value, ...rest}) => ({value: `${list}${value}`, ...rest})),
    `${prefix}${current}`,
  );
}

/** The name of the argument at an index. The last argument may repeat. */
function argumentAt(place: number, command: CommandFacts): string | undefined {
  const names = command.args.map(({name}) => name);
  return names[place] ?? (command.anyNumber && names.at(-1) === 'node' ? 'node' : undefined);
}
