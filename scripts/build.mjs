// The bundle: a small file to start with, and chunks beside it that load as they are used.
import {mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {join, relative} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {transform} from 'esbuild';
import {rolldown} from 'rolldown';
import {commit} from './package/commit.mjs';
import {bundledTextModules} from './text-modules.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const absent = fileURLToPath(new URL('light/empty.mjs', import.meta.url));

/** Libraries that are replaced or left out, each for a reason that is not speed. */
const alias = {
  // Optional for Ink and never used here; an ES module cannot miss an import.
  'react-devtools-core': absent,
  // Asks for the home folder when it loads, and some users have none. Stacks are shown as they are.
  'clean-stack': fileURLToPath(new URL('light/whole-stack.mjs', import.meta.url)),
};

/**
 * Parts of oclif that its Command loads and ours never calls. `Config` finds plugins of a program on disk: our commands
 * bring their own config. The help classes print help: ours is data. They were half of what Command takes to load.
 */
const unusedParts = /[\\/]@oclif[\\/]core[\\/]lib[\\/](config|help)[\\/]index\.js$/;

/**
 * What loads together is one file: each file takes Node almost half a millisecond, whatever is in it. A module goes into
 * the first group that names it, or that has a module which imports it; what no group takes is split by who uses it.
 */
const groups = [
  {name: 'start', tags: ['$initial']},
  {
    // Before the groups below, so that help and screens load none of them for a few lines. Nothing here loads a library.
    name: 'common',
    test: modules(
      /^\0node:/,
      /^src\/lib\/(?!zod-messages|home|pause|read-input|turns|user-name)/,
      /^src\/diagnose\/(root-causes|report)\.ts$/,
      /^src\/(cli\/help|services\/version|view\/text\/version)\.ts$/,
    ),
  },
  {
    name: 'command',
    test: modules(/^src\/cli\/(command|flags|answer|endings)\.ts$/, /^node_modules\/@oclif\/core\/lib\/args\.js$/),
  },
  {name: 'diagnose', test: modules(/^src\/(services\/doctor\/doctor|view\/text\/report)\.ts$/)},
  {name: 'cluster', test: modules(/^src\/services\/nodes\.ts$/)},
  {name: 'helper', test: modules(/^src\/session\/inspection\.ts$/)},
];

function modules(...paths) {
  return id => paths.some(path => path.test(id.startsWith('\0') ? id : pathIn(id)));
}

/** Writes the bundle into a folder and gives what is in each of its files, and what each imports. */
export async function bundle(outdir) {
  const build = await rolldown({
    cwd: root,
    input: {'kubectl-win': 'src/main.ts'},
    platform: 'node',
    resolve: {alias},
    transform: {
      target: 'node24',
      jsx: 'react-jsx',
      define: {
        'process.env.NODE_ENV': '"production"',
        'process.env.KUBECTL_WIN_COMMIT': JSON.stringify(commit()),
      },
    },
    plugins: [bundledTextModules, builtinModules, leaveOutUnusedParts],
  });
  const {output} = await build.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: {groups: groups.map((group, index) => ({...group, priority: groups.length - index}))},
  });
  await build.close();
  mkdirSync(join(outdir, 'chunks'), {recursive: true});
  for (const {fileName, code} of output) writeFileSync(join(outdir, fileName), await small(code));
  writeFileSync(join(outdir, 'kubectl-win.js'), withCompileCache(readFileSync(join(outdir, 'kubectl-win.js'), 'utf8')));
  rmSync(join(outdir, 'compiled'), {recursive: true, force: true});
  removeStaleChunks(outdir, new Set(output.map(({fileName}) => fileName)));
  return {outputs: Object.fromEntries(output.map(chunk => [chunk.fileName, described(chunk)]))};
}

const described = ({facadeModuleId, modules, imports, dynamicImports}) => ({
  entryPoint: facadeModuleId ? pathIn(facadeModuleId) : undefined,
  inputs: Object.fromEntries(
    Object.entries(modules).map(([id, {renderedLength}]) => [pathIn(id), {bytesInOutput: renderedLength}]),
  ),
  imports: [
    ...imports.map(path => ({path, kind: 'import-statement'})),
    ...dynamicImports.map(path => ({path, kind: 'dynamic-import'})),
  ],
});

/** The path of a module in the project, with slashes; of one that is no file, its name. */
function pathIn(id) {
  return id.startsWith('\0') ? id.slice(1) : relative(root, id).replaceAll('\\', '/');
}

/**
 * Modules of Node as objects. Imported as an ES module, one is asked for all that it exports: node:http then loads a
 * second HTTP client, which takes longer than to start Node, and node:util a tenth of that.
 */
const builtinModules = {
  name: 'builtin-modules',
  // The bundler's own code has to import node:module.
  resolveId: {filter: {id: /^node:(?!module$)/}, handler: id => `\0${id}`},
  load: {
    filter: {id: /^\0node:/},
    handler: id => `module.exports = process.getBuiltinModule('${id.slice(1)}');`,
  },
};

const leaveOutUnusedParts = {
  name: 'leave-out-unused-parts',
  load: {filter: {id: unusedParts}, handler: () => 'module.exports = {};'},
};

/**
 * Node keeps what V8 made of the chunks, and takes a seventh less time the next time. It is kept beside the chunks, where
 * an uninstall removes it, and nowhere else: where that folder may not be written, there is none. The file that turns it on
 * imports nothing else: what is imported before is not kept.
 */
function withCompileCache(entry) {
  const start = /^import\s*"(\.\/chunks\/[^"]+)";?\s*$/.exec(entry)?.[1];
  if (start === undefined) throw new Error(`The first file of the bundle does more than import another: ${entry}`);
  // A Node that is too old has neither: the program itself says so.
  return `try{process.getBuiltinModule("node:module").enableCompileCache?.(import.meta.dirname+"/compiled")}catch{}import("${start}");\n`;
}

/** Short, and in ASCII: V8 reads text with any other sign in it as two bytes a sign. */
async function small(code) {
  const options = {target: 'node24', format: 'esm', charset: 'ascii', legalComments: 'none'};
  return (await transform(code, {...options, minifySyntax: true, minifyWhitespace: true})).code;
}

/** Chunks of earlier builds. The newest stay: a program that was started before may load them yet. */
function removeStaleChunks(outdir, current) {
  const hourAgo = Date.now() - 3_600_000;
  for (const name of readdirSync(join(outdir, 'chunks'))) {
    const path = join(outdir, 'chunks', name);
    if (!current.has(`chunks/${name}`) && statSync(path).mtimeMs < hourAgo) rmSync(path);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await bundle(join(root, 'dist'));
