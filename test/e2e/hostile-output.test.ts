import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, describe, expect, it} from 'vitest';
import {scenario} from '../checks/support.js';
import {win} from './support.js';

/** Clipboard, title, cursor movement, link, C1 controls, right-to-left overrides, markup, formulas and mentions. */
const payload = [
  '\u001b]52;c;cm0gLXJmIC8=\u0007',
  '\u001b]0;owned\u0007',
  '\u001b[2J\u001b[1;1H',
  '\u001b]8;;https://evil.example\u001b\\here\u001b]8;;\u001b\\',
  '\u009b31m\u0090q\u009c\u0085',
  '\u202egnp.exe\u2066\u2069\u200f',
  '<script>alert(1)</script><img src=x onerror=alert(1)>"\'>',
  '](javascript:alert(1)) @everyone ![x](https://evil.example/p.png)',
  '\u0000\u0008\u007f\r',
  ']]>&lol;',
].join('');

/** Appends the payload to every text of a node, except names, without which nothing would be recognised. */
function hostile(value: unknown, key = ''): unknown {
  if (typeof value === 'string')
    return /^(Name|Type|ID|Id|State|Status|Path|kind|apiVersion|name|namespace|uid|nodeName|phase|type)$/.test(key)
      ? value
      : `${value}${payload}`;
  if (Array.isArray(value)) return value.map(item => hostile(item, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, its]) => [name, hostile(its, name)]));
}

const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-hostile-'));
afterAll(() => rmSync(folder, {recursive: true, force: true}));

function write(name: string, change: (sections: Record<string, unknown>) => Record<string, unknown>): string {
  const {document} = scenario('02-antrea-after-reboot');
  const [[node = '', dump] = []] = Object.entries(document.nodes);
  const errors = {vmSwitches: {kind: 'Failed', message: `no switch${payload}`}};
  const nodes = {[node]: {...dump, sections: change(dump?.sections ?? {}), errors}};
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({...document, nodes, cluster: hostile(document.cluster)}));
  return path;
}

const texts = write('texts.json', sections => hostile(sections) as Record<string, unknown>);
/** Also names, of some objects. */
const names = write('names.json', sections => ({
  ...sections,
  netAdapters: (sections.netAdapters as {Name: string}[]).map(row => ({...row, Name: `${row.Name}${payload}`})),
  services: (sections.services as {Name: string}[]).map(row => ({...row, DisplayName: payload})),
  hnsNetworks: [
    {ID: 'a', Name: `x${payload}`, Type: 'Transparent', ManagementIP: payload, Extensions: [], Policies: []},
  ],
  logs: [
    {
      Path: `C:\\var\\log\\antrea\\a${payload}.log`,
      Content: `E0101 failed ${payload}\nHNS failed with error : ${payload}`,
    },
  ],
}));

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

const formats = ['text', 'wide', 'short', 'name', 'json', 'yaml', 'html', 'markdown', 'junit', 'sarif', 'prometheus'];
const commands: string[][] = [
  ...formats.map(format => ['doctor', '-o', format]),
  ['doctor', '-v'],
  ['inspect'],
  ['inspect', '-o', 'mermaid'],
  ['inspect', '-o', 'dot'],
  ['preflight', 'antrea'],
  ['logs'],
  ['events'],
  ['cleanup', '-o', 'yaml'],
  ['cleanup'],
  ['redact'],
];

describe.each([
  ['texts', texts],
  ['names', names],
])('a node with hostile %s', (_, file) => {
  it.each(commands)('has no effect on the terminal: %s %s %s', async (...words) => {
    const args = words.filter(word => word !== undefined);
    const {stdout, stderr} = args[0] === 'redact' ? await win(['redact', file]) : await win([...args, '--from', file]);
    const found = controls.exec(stdout + stderr);
    expect(
      found && JSON.stringify((stdout + stderr).slice(Math.max(0, found.index - 80), found.index + 20)),
    ).toBeNull();
    if (args.includes('html')) {
      expect(stdout).not.toMatch(/<script>alert|<img src=x|onerror=alert\(1\)>/);
      expect(stdout).not.toMatch(/(href|src)="?(https:\/\/evil|javascript:)/);
    }
    if (args.includes('markdown'))
      expect(stdout.replaceAll(/(`+)[^`].*?\1/g, '')).not.toMatch(/<script|(?<!\\)\]\(javascript|!\[x\]|@everyone/);
    if (args.includes('junit')) expect(stdout).not.toMatch(/<script|\]\]>&lol;/);
  });
});

it('arguments of the command line are printed without their escapes', async () => {
  for (const args of [
    ['doctor', `x${payload.replaceAll('\u0000', '')}`, '--from', texts],
    ['doctor', '-o', payload.replaceAll('\u0000', '')],
    [payload.replaceAll('\u0000', '')],
  ]) {
    const {stdout, stderr} = await win(args);
    expect(controls.exec(stdout + stderr)?.[0]).toBeUndefined();
  }
});
