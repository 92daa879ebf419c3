import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {bundle} from '../../scripts/build.mjs';

interface Output {
  readonly entryPoint?: string;
  readonly inputs: Readonly<Record<string, {readonly bytesInOutput: number}>>;
  readonly imports: readonly {readonly path: string; readonly kind: string}[];
}

const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-bundle-'));
let outputs: Readonly<Record<string, Output>>;
beforeAll(async () => {
  ({outputs} = await bundle(folder));
});
afterAll(() => rmSync(folder, {recursive: true, force: true}));

/** The packages that load with these modules, and with all that they import at once. */
function packagesWith(...modules: readonly string[]): string[] {
  const seen = new Set<string>();
  for (const module of ['src/main.ts', ...modules]) {
    const [chunk] = Object.entries(outputs).find(([, {entryPoint}]) => entryPoint === module) ?? [];
    if (chunk === undefined) throw new Error(`${module} is not loaded by itself`);
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

test('help and completion load no library but what knows the width of text', () => {
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
])('%s loads no display for terminals', (_, modules) => {
  expect(packagesWith(...modules).filter(name => /^(ink|react|yoga-layout)/.test(name))).toEqual([]);
});

test('the dashboard does', () => {
  expect(packagesWith('src/view/ink/dashboard/dashboard.tsx')).toEqual(expect.arrayContaining(['ink', 'react']));
});

test('without a cluster no client of it is loaded', () => {
  const loaded = packagesWith(
    'src/commands/version.ts',
    'src/services/version.ts',
    'src/commands/doctor.ts',
    'src/services/doctor/doctor.ts',
  );
  expect(loaded.filter(name => /^(@kubernetes|ws$|js-yaml|selfsigned)/.test(name))).toEqual([]);
});
