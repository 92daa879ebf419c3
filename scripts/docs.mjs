// docs/commands: a page a command, from what the program itself says with --help.
import {execFileSync} from 'node:child_process';
import {mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Every page by its file name. */
export function commandPages() {
  const top = section(help(), 'COMMANDS');
  const topics = section(help(), 'TOPICS').map(({name}) => name);
  const below = topics.flatMap(topic => section(help(topic), 'COMMANDS'));
  const names = [...top.map(({name}) => name), ...below.map(({name}) => name)].sort();
  const pages = names.map(name => [fileOf(name), page(name, help(...name.split(' ')))]);
  return Object.fromEntries([['README.md', index(names)], ...pages]);
}

const fileOf = name => `${name.replaceAll(' ', '-')}.md`;

const help = (...words) =>
  execFileSync(process.execPath, [join(root, 'dist/kubectl-win.js'), ...words, '--help'], {
    encoding: 'utf8',
    env: {...process.env, NO_COLOR: '1', OCLIF_COLUMNS: '80'},
  });

/** The names in a list of the help: indented by two, and by more where a text goes on. */
function section(text, heading) {
  const lines = text.split(`\n${heading}\n`)[1]?.split('\n\n')[0]?.split('\n') ?? [];
  return lines.flatMap(line => {
    const name = /^ {2}([a-z][a-z -]*?) {2,}/.exec(line)?.[1];
    return name === undefined ? [] : [{name}];
  });
}

function page(name, text) {
  const [summary = '', ...rest] = text.trimEnd().split('\n\n');
  return `# kubectl win ${name}\n\n${summary.replaceAll('\n', ' ')}\n\n\`\`\`\n${rest.join('\n\n')}\n\`\`\`\n`;
}

function index(names) {
  const links = names.map(name => `- [kubectl win ${name}](${fileOf(name)})`);
  return `# Commands\n\nWritten by \`npm run docs\` from what each command says with \`--help\`.\n\n${links.join('\n')}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const folder = join(root, 'docs/commands');
  rmSync(folder, {recursive: true, force: true});
  mkdirSync(folder, {recursive: true});
  for (const [name, text] of Object.entries(commandPages())) writeFileSync(join(folder, name), text);
}
