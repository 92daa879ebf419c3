// docs/commands: a page a command, from what the program itself says with --help.
import {mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {describedCommands} from './commands.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Every page by its file name. */
export async function commandPages() {
  const {commandFacts: facts, helpOf} = await describedCommands();
  const names = Object.keys(facts).sort();
  const pages = names.map(name => [fileOf(name), page(name, helpOf(name, facts))]);
  return Object.fromEntries([['README.md', index(names)], ...pages]);
}

const fileOf = name => `${name.replaceAll(' ', '-')}.md`;

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
  for (const [name, text] of Object.entries(await commandPages())) writeFileSync(join(folder, name), text);
}
