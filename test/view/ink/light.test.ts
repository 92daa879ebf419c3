import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {bundle} from '../../../scripts/build.mjs';

type Metafile = Awaited<ReturnType<typeof bundle>>;

const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-light-'));
let outputs: Metafile['outputs'];
beforeAll(async () => {
  ({outputs} = await bundle(folder));
});
afterAll(() => rmSync(folder, {recursive: true}));

/** The modules loaded with one: its chunk, and the chunks that it imports. */
function loadedWith(module: string): string[] {
  const start = Object.keys(outputs).find(path => outputs[path]?.inputs[module]) ?? '';
  const seen = new Set<string>();
  const walk = (path: string) => {
    if (seen.has(path) || !outputs[path]) return;
    seen.add(path);
    for (const {path: next, kind} of outputs[path].imports) if (kind === 'import-statement') walk(next);
  };
  walk(start);
  return [...seen].flatMap(path => Object.keys(outputs[path]?.inputs ?? {}));
}

const heavy = /node_modules\/(zod|@kubernetes|ws)\/|src\/(diagnose\/engine|plugins|repair|snapshot|kube\/client)\b/;

test.each([
  ['dashboard', ['src/commands/dashboard/dashboard.ts', 'src/commands/dashboard/controller.ts']],
  ['doctor', ['src/commands/doctor.ts', 'src/view/progress.ts']],
])('the first frame of %s does not wait for modules that read nodes or draw', (_, first) => {
  const modules = first.flatMap(loadedWith);
  expect(modules).toContain('src/view/ink/first-frame.ts');
  expect(modules.filter(module => heavy.test(module) || /node_modules\/(ink|react)\//.test(module))).toEqual([]);
});

test.each(['src/view/ink/dashboard/dashboard.tsx', 'src/view/ink/live-display.tsx'])(
  'what %s draws with does not wait for what reads and diagnoses nodes',
  screen => {
    const modules = loadedWith(screen);
    expect(modules.some(module => /node_modules\/ink\//.test(module))).toBe(true);
    expect(modules.filter(module => heavy.test(module))).toEqual([]);
  },
);

test('the modules that read nodes are large', () => {
  expect(
    loadedWith('src/services/dashboard/read-fleet.ts').filter(module => heavy.test(module)).length,
  ).toBeGreaterThan(50);
});
