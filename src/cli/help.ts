import packageJson from '../../package.json' with {type: 'json'};
import {wrap} from '../view/text/wrap.js';
import type {CommandFacts, Facts, FlagFacts} from './command-facts.js';
import {topics} from './topics.js';

/** Fixed, so that the documentation pages match the help on the screen. */
const width = 80;

/** The help of the program, a topic, or a command. */
export function helpOf(name: string, facts: Facts): string {
  const command = facts[name];
  const sections = command ? commandHelp(command) : listHelp(name, facts);
  return `${sections.filter(section => section !== '').join('\n\n')}\n`;
}

function listHelp(name: string, facts: Facts): string[] {
  const start = name === '' ? '' : `${name} `;
  const below = Object.keys(facts).filter(id => id.startsWith(start));
  const words = [...new Set(below.map(id => id.slice(start.length).split(' ')[0] ?? ''))].sort();
  const rows = words.map((word): Row => [word, facts[`${start}${word}`]?.summary ?? topics[word] ?? '']);
  return [
    topics[name] ?? packageJson.description,
    section('Available commands', columns(rows)),
    section('Usage', `  kubectl win ${start}COMMAND [options]`),
    `Use "kubectl win ${start}COMMAND --help" for more information about a command.`,
  ];
}

function commandHelp({summary, description, examples, usage, args, flags, ...rest}: CommandFacts) {
  const ownFirst = Object.entries(flags).sort(([, a], [, b]) => Number('group' in a) - Number('group' in b));
  const groups = Map.groupBy(ownFirst, ([, {group}]) => (group ? `${group} options` : 'Options'));
  const options = [...groups].map(([heading, all]) => section(heading, columns(all.sort(byChar).map(flagRow))));
  return [
    wrapped(summary, 0),
    ...description.split('\n\n').map(paragraphText),
    section('Examples', examples.map(exampleText).join('\n\n')),
    section('Arguments', columns(args.map(arg => [arg.name.toUpperCase(), arg.description]))),
    ...options,
    section('Exit codes', wrapped(rest.exitCodes, 0, 5)),
    section('RBAC', wrapped(rest.rbac, 2)),
    section('Usage', usage.map(words => wrapped(`kubectl win ${words}`, 2, 6)).join('\n')),
  ];

  function exampleText({description: text, command}: CommandFacts['examples'][number]): string {
    const lines = command.split('\n').map(line => `  ${line}`);
    return [`  # ${text}`, ...lines].join('\n');
  }
}

/** Wraps paragraphs. Indented text is for copying and is left unchanged. */
const paragraphText = (text: string) => (text.startsWith(' ') ? text : wrapped(text.replaceAll('\n', ' '), 0));

type Row = readonly [string, string];

function flagRow([name, flag]: [string, FlagFacts]): Row {
  const short = flag.char ? `-${flag.char}, ` : '    ';
  const long = `--${flag.negatable ? '[no-]' : ''}${name}${flag.value ? `=${flag.value}` : ''}${flag.many ? '...' : ''}`;
  return [`${short}${long}`, flag.default ? `${flag.summary} (default ${flag.default})` : flag.summary];
}

function byChar([one, {char: a = '~'}]: [string, FlagFacts], [other, {char: b = '~'}]: [string, FlagFacts]): number {
  if (a !== b) return a < b ? -1 : 1;
  return one < other ? -1 : 1;
}

/** Two columns; the second is wrapped beside the first, or below it if the first is too wide. */
function columns(rows: readonly Row[]): string {
  const widest = Math.max(...rows.map(([left]) => left.length).filter(length => length <= 34), 0);
  return rows
    .flatMap(([left, right]) => {
      const hang = widest + 4;
      const lines = wrap(right, {indent: hang, hang, width});
      if (left.length > widest) return [`  ${left}`, ...lines];
      const [first = '', ...others] = lines;
      return [`  ${left.padEnd(widest)}${first.slice(widest + 2)}`, ...others];
    })
    .join('\n');
}

const section = (heading: string, text: string) => (text === '' ? '' : `${heading}:\n${text}`);

function wrapped(text: string, indent: number, hang = indent): string {
  return text === ''
    ? ''
    : text
        .split('\n')
        .flatMap(line => wrap(line, {indent, hang, width}))
        .join('\n');
}
