import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {delimiter, dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {kubectl} from '../../scripts/kubectl.mjs';
import {Running} from './support.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The lines of its `sh` blocks, in order. Blocks marked `shell` install software and are not run. */
const lines = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) => block.trim().split('\n'));

let demo: Running;
let folder: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kubectl-win-readme-'));
  const path = [join(root, 'bin'), dirname(kubectl()), process.env.PATH].join(delimiter);
  env = {...process.env, PATH: path, HOME: folder};
  demo = new Running(join(root, 'bin/kubectl-win'), ['demo', '--keep'], env);
  const exported = await demo.printed(/export KUBECONFIG=\S+/);
  await demo.printed(/Press Ctrl-C/);
  env = {...env, KUBECONFIG: exported.split('=')[1]};
}, 120_000);

afterAll(async () => {
  demo.child.kill('SIGINT');
  await demo.ended;
  rmSync(folder, {recursive: true, force: true});
});

describe('the README', () => {
  test.each(lines)('%s', {timeout: 240_000}, line => {
    const {status, stdout, stderr} = spawnSync('sh', ['-c', line], {cwd: folder, env, encoding: 'utf8'});
    // These exit with 1 if they find problems.
    const expected = /^kubectl win (diff|doctor|preflight)/.test(line) ? [0, 1] : [0];
    expect(expected, `${stdout}${stderr}`).toContain(status);
    expect(stdout + stderr).not.toMatch(/^error:/m);
  });

  test('names only existing commands and flags, also in its text', {timeout: 240_000}, () => {
    const inline = [...readme.matchAll(/`kubectl win ((?:[a-z-]+ ?)+)([^`]*)`/g)];
    expect(inline.length).toBeGreaterThan(10);
    const help = new Map<string, string>();
    for (const [whole, words = '', rest = ''] of inline) {
      const [first = '', second = ''] = words.trim().split(' ');
      const command = ['helper', 'completion'].includes(first) ? [first, second] : [first];
      const key = command.join(' ');
      if (!help.has(key)) {
        const {status, stdout} = spawnSync(join(root, 'bin/kubectl-win'), [...command, '--help'], {
          env,
          encoding: 'utf8',
        });
        expect(status, whole).toBe(0);
        help.set(key, stdout);
      }
      for (const [flag] of `${words} ${rest}`.matchAll(/--[a-z-]+/g)) expect(help.get(key), whole).toContain(flag);
    }
  });

  test('links to files that exist', () => {
    const links = [...readme.matchAll(/\]\(([^)#]+?)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
    const files = links.filter(target => !target.startsWith('http'));
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter(file => !existsSync(join(root, file)))).toEqual([]);
  });

  test('requires the same Node version as the package', () => {
    const {engines} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(readme).toContain(`Node ${engines.node.replace('>=', '')} or newer`);
  });

  test('names the existing roles', () => {
    const roles = execFileSync('grep', ['-oE', '^  name: kubectl-win-[a-z]+', join(root, 'manifests/rbac.yaml')], {
      encoding: 'utf8',
    });
    for (const role of new Set(roles.match(/kubectl-win-[a-z]+/g))) expect(readme).toContain(`\`${role}\``);
  });

  test.each([
    'What does it change',
    'Who may run it',
    'What is left',
    'What if my node is lost',
    'Docker',
    'without internet',
    'my network plugin',
    'Windows versions',
    'How do I undo',
    'How do I remove it',
  ])('answers: %s?', question => {
    const faq = readme.slice(readme.indexOf('## FAQ'), readme.indexOf('## How it compares'));
    expect(faq).toMatch(new RegExp(`^\\*\\*[^*]*${question}[^*]*\\?\\*\\* \\S`, 'm'));
  });
});
