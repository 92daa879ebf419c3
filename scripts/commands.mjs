// Descriptions of all commands as data, generated at build time. Loading all commands for their flags would take
// longer than help and completion themselves.
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {build} from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Commands by name (src/cli/command-facts.ts), and the function that renders their help (src/cli/help.ts). */
export async function describedCommands() {
  const {outputFiles} = await build({
    absWorkingDir: root,
    entryPoints: ['src/commands/described.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    loader: {'.yaml': 'text'},
    plugins: [leaveOutWhatCommandsDo],
  });
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, {recursive: true});
  const folder = mkdtempSync(join(cache, 'commands-'));
  try {
    const file = join(folder, 'commands.mjs');
    writeFileSync(file, outputFiles[0].text);
    return await import(pathToFileURL(file));
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}

/** A command imports its implementation when it runs, and none runs here. */
const leaveOutWhatCommandsDo = {
  name: 'leave-out-what-commands-do',
  setup({onResolve}) {
    onResolve({filter: /.*/}, ({kind, importer, path}) =>
      kind === 'dynamic-import' && !importer.endsWith('/commands/map.ts') ? {path, external: true} : undefined,
    );
  },
};
