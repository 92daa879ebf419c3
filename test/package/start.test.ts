import {spawnSync} from 'node:child_process';
import {globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {bundle} from '../../scripts/build.mjs';

interface Output {
  readonly inputs: Readonly<Record<string, {readonly bytesInOutput: number}>>;
  readonly imports: readonly {readonly path: string; readonly kind: string}[];
}

const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-bundle-'));
let outputs: Readonly<Record<string, Output>>;
beforeAll(async () => {
  ({outputs} = await bundle(folder));
});
afterAll(() => rmSync(folder, {recursive: true, force: true}));

/** The packages that these modules load, with their static imports. */
function packagesWith(...modules: readonly string[]): string[] {
  const seen = new Set<string>();
  for (const module of ['src/main.ts', ...modules]) {
    const [chunk] = Object.entries(outputs).find(([, {inputs}]) => module in inputs) ?? [];
    if (chunk === undefined) throw new Error(`${module} is not in the bundle`);
    visit(chunk);
  }
  const inputs = [...seen].flatMap(chunk => Object.entries(outputs[chunk]?.inputs ?? {}));
  const names = inputs
    .filter(([, {bytesInOutput}]) => bytesInOutput > 0)
    .map(([path]) => /^(?:[\w-]+:)?node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? '');
  return [...new Set(names)].filter(Boolean).sort();

  function visit(chunk: string): void {
    if (seen.has(chunk)) return;
    seen.add(chunk);
    for (const {path, kind} of outputs[chunk]?.imports ?? []) if (kind === 'import-statement') visit(path);
  }
}

const unicode = ['ansi-regex', 'get-east-asian-width', 'string-width', 'strip-ansi'];

test('help and completion load no library except for text width', () => {
  expect(unicode).toEqual(expect.arrayContaining(packagesWith('src/cli/help.ts', 'virtual:commands')));
  expect(packagesWith('src/cli/completion/answer-kubectl.ts', 'virtual:commands')).toEqual([]);
});

test.each([
  ['version --client', ['src/commands/version.ts', 'src/services/version.ts']],
  ['doctor --from', ['src/commands/doctor.ts', 'src/services/doctor/doctor.ts']],
  [
    'doctor without a terminal',
    ['src/commands/doctor.ts', 'src/services/doctor/doctor.ts', 'src/session/inspection.ts'],
  ],
])('%s loads no terminal UI', (_, modules) => {
  expect(packagesWith(...modules).filter(name => /^(ink|react|yoga-layout)/.test(name))).toEqual([]);
});

test('the bundle is ASCII, regular expressions included: the loader reads it as that', () => {
  const files = globSync(join(folder, '**/*.js'));
  expect(files.length).toBeGreaterThan(10);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is allowed
  expect(files.filter(file => !/^[\u0000-\u007f]*$/.test(readFileSync(file, 'utf8')))).toEqual([]);
});

test('the dashboard does', () => {
  expect(packagesWith('src/view/ink/dashboard/dashboard.tsx')).toEqual(expect.arrayContaining(['ink', 'react']));
});

test('without a cluster no client is loaded', () => {
  const loaded = packagesWith(
    'src/commands/version.ts',
    'src/services/version.ts',
    'src/commands/doctor.ts',
    'src/services/doctor/doctor.ts',
  );
  expect(loaded.filter(name => /^(@kubernetes|ws$|js-yaml|selfsigned)/.test(name))).toEqual([]);
});

const compiled = join(folder, 'compiled');
const run = (...words: string[]) => {
  const {status, stdout} = spawnSync(process.execPath, [join(folder, 'kubectl-win.js'), ...words], {encoding: 'utf8'});
  return {status, stdout};
};
const kept = () =>
  globSync('**/*.js', {cwd: compiled})
    .sort()
    .map(name => [name, statSync(join(compiled, name)).mtimeMs] as const);

test('the compile cache is next to the bundle, separate for each command', () => {
  rmSync(compiled, {recursive: true, force: true});
  const first = run('schema');
  const before = kept();
  expect(before.length).toBeGreaterThan(1);
  expect(run('schema')).toEqual(first);
  expect(kept()).toEqual(before);
  expect(run('version', '--client').status).toBe(0);
  const both = kept();
  expect(both.filter(([name]) => name.includes('/schema/'))).toEqual(before);
  expect(both.filter(([name]) => name.includes('/version/')).length).toBeGreaterThan(1);
  expect(run('no-such-command').status).toBe(2);
  expect(kept().map(([name]) => name.split('/')[1])).toContain('others');
});

test('a compile cache of other V8 flags is rebuilt completely', () => {
  run('schema');
  run('version', '--client');
  const before = kept();
  const {status} = spawnSync(process.execPath, ['--no-opt', join(folder, 'kubectl-win.js'), 'version', '--client']);
  expect(status).toBe(0);
  const of = (name: string, files: ReturnType<typeof kept>) => files.filter(([file]) => file.includes(`/${name}/`));
  const others = kept();
  expect(of('schema', others)).toEqual(of('schema', before));
  const times = new Map(of('version', before));
  expect(of('version', others).filter(([file, time]) => times.get(file) === time)).toEqual([]);
  run('version', '--client');
  const again = kept();
  run('version', '--client');
  expect(kept()).toEqual(again);
  expect(again).not.toEqual(others);
});

test('commands also run if nothing can be cached', () => {
  rmSync(compiled, {recursive: true, force: true});
  writeFileSync(compiled, '');
  expect(run('version', '--client').status).toBe(0);
  expect(statSync(compiled).size).toBe(0);
  rmSync(compiled);
});
