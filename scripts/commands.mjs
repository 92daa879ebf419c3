// What every command is, as data. It is made when the program is built: to load all commands and ask each for its
// flags takes longer than anything that needs no more than to know them, such as help and completion.
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {build} from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Every command by its words (src/cli/command-facts.ts), and what turns them into help (src/cli/help.ts). */
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

/** A command loads what it does when it runs, and here none runs. */
const leaveOutWhatCommandsDo = {
  name: 'leave-out-what-commands-do',
  setup({onResolve}) {
    onResolve({filter: /.*/}, ({kind, importer, path}) =>
      kind === 'dynamic-import' && !importer.endsWith('/commands/map.ts') ? {path, external: true} : undefined,
    );
  },
};
