// Builds the bundle: a small start file, and chunks that load on first use.
import {mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {builtinModules} from 'node:module';
import {join, relative} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {transform} from 'esbuild';
import {rolldown} from 'rolldown';
import {commit} from './package/commit.mjs';
import {bundledTextModules} from './text-modules.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Libraries that are replaced, for reasons other than speed. */
const alias = {
  // Uses top-level await.
  'yoga-layout': fileURLToPath(new URL('light/yoga.mjs', import.meta.url)),
  // Reads the home folder when it loads, and some users have none. Stack traces are shown unchanged.
  'clean-stack': fileURLToPath(new URL('light/whole-stack.mjs', import.meta.url)),
};

/**
 * Parts of oclif that its Command loads and our commands never call. `Config` finds plugins on disk: our commands have
 * their own config. The help classes print help: our help is data. These parts took half of the time to load Command.
 */
const unusedParts = /[\\/]@oclif[\\/]core[\\/]lib[\\/](config|help)[\\/]index\.js$/;

/**
 * Modules that load together are in one file, because each file takes Node almost half a millisecond. A module belongs
 * to the first group that names it, or that has a module which imports it. The bundler splits the others by their
 * importers.
 */
const groups = [
  {name: 'start', tags: ['$initial']},
  {
    // Before the groups below, so that help and screens do not load them for a few lines. Nothing here loads a library.
    name: 'common',
    test: modules(
      /^\0node:/,
      /^src\/lib\/(?!zod-messages|home|output-file|pause|read-input|small-heap|user-name)/,
      /^src\/diagnose\/(root-causes|report)\.ts$/,
      /^src\/(cli\/help|services\/version|view\/text\/version)\.ts$/,
    ),
  },
  {
    name: 'command',
    test: modules(/^src\/cli\/(command|flags|answer|endings)\.ts$/, /^node_modules\/@oclif\/core\/lib\/args\.js$/),
  },
  // Recognises plugins: the only part of a diagnosis that `nodes` needs.
  {
    name: 'recognise',
    test: modules(/^src\/(diagnose\/detect|snapshot\/node|lib\/pause)\.ts$/, /^node_modules\/(semver|zod)\//),
  },
  {name: 'diagnose', test: modules(/^src\/(services\/doctor\/doctor|view\/text\/report)\.ts$/)},
  {name: 'cluster', test: modules(/^src\/services\/nodes\.ts$/)},
  {name: 'helper', test: modules(/^src\/session\/inspection\.ts$/)},
];

function modules(...paths) {
  return id => paths.some(path => path.test(id.startsWith('\0') ? id : pathIn(id)));
}

/** Writes the bundle into a folder, and returns the modules and imports of each file. */
export async function bundle(outdir) {
  const build = await rolldown({
    cwd: root,
    input: {start: 'src/main.ts'},
    platform: 'node',
    resolve: {alias},
    transform: {
      target: 'node24',
      jsx: 'react-jsx',
      define: {
        'process.env.NODE_ENV': '"production"',
        // oclif reads it when it starts on its own; a chunk has none.
        'require.main': 'undefined',
        // Otherwise ws tries to load optional modules.
        'process.env.WS_NO_BUFFER_UTIL': '"true"',
        'process.env.WS_NO_UTF_8_VALIDATE': '"true"',
        'process.env.KUBECTL_WIN_COMMIT': JSON.stringify(commit()),
      },
    },
    plugins: [bundledTextModules, nodeModules, leaveOutUnusedParts, leaveOutDevelopersTools],
  });
  const {output} = await build.generate({
    format: 'esm',
    entryFileNames: 'chunks/[name]-[hash].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: {groups: groups.map((group, index) => ({...group, priority: groups.length - index}))},
  });
  await build.close();
  mkdirSync(join(outdir, 'chunks'), {recursive: true});
  for (const {fileName, code} of output) writeFileSync(join(outdir, fileName), await chunkOf(code));
  const {fileName: start} = output.find(({isEntry}) => isEntry);
  const {engines} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const loader = readFileSync(new URL('loader.mjs', import.meta.url), 'utf8')
    .replace('START', start)
    .replace('NODE', engines.node.replace('>=', ''))
    .replace('COMMANDS', commandNames().join(' '));
  writeFileSync(join(outdir, 'kubectl-win.js'), await small(loader, 'esm'));
  rmSync(join(outdir, 'compiled'), {recursive: true, force: true});
  removeStaleChunks(outdir, new Set(output.map(({fileName}) => fileName)));
  return {outputs: Object.fromEntries(output.map(chunk => [chunk.fileName, described(chunk)]))};
}

/** The first word of every command, and the command that completion calls. */
const commandNames = () => [
  ...readdirSync(join(root, 'src/commands'))
    .map(name => name.replace(/\.ts$/, ''))
    .filter(name => name !== 'map' && name !== 'described'),
  '__complete',
];

const described = ({modules, imports, dynamicImports}) => ({
  inputs: Object.fromEntries(
    Object.entries(modules).map(([id, {renderedLength}]) => [pathIn(id), {bytesInOutput: renderedLength}]),
  ),
  imports: [
    ...imports.map(path => ({path, kind: 'import-statement'})),
    ...dynamicImports.map(path => ({path, kind: 'dynamic-import'})),
  ],
});

/** The path of a module in the project, with slashes, or its name if it is not a file. */
function pathIn(id) {
  return id.startsWith('\0') ? id.slice(1) : relative(root, id).replaceAll('\\', '/');
}

/**
 * Loads modules of Node as objects. An import as an ES module evaluates all exports: node:http then loads a second HTTP
 * client, which takes longer than starting Node, and node:util takes a tenth of that.
 */
const nodeModules = {
  name: 'builtin-modules',
  // The bundler's own code imports node:module, and removes the import if nothing needs it.
  resolveId: {
    filter: {id: new RegExp(`^(node:(?!module$).*|${builtinModules.join('|')})$`)},
    handler: id => `\0node:${id.replace(/^node:/, '')}`,
  },
  load: {
    filter: {id: /^\0node:/},
    handler: id =>
      rarelyUsed.has(id.slice(1))
        ? `module.exports = new Proxy({}, {get: (_, name) => process.getBuiltinModule('${id.slice(1)}')[name]});`
        : `module.exports = process.getBuiltinModule('${id.slice(1)}');`,
  },
};

/** oclif imports these for features that our commands rarely use, so they load on first use. */
const rarelyUsed = new Set(['node:readline', 'node:perf_hooks']);

const leaveOutUnusedParts = {
  name: 'leave-out-unused-parts',
  load: {filter: {id: unusedParts}, handler: () => 'module.exports = {};'},
};

/** Ink's tools for its developers: it waits for them at its top level, which a chunk cannot. */
const leaveOutDevelopersTools = {
  name: 'leave-out-developers-tools',
  transform: {
    filter: {id: /[\\/]ink[\\/]build[\\/]/},
    handler: code => code.replaceAll("process.env['DEV'] === 'true'", 'false'),
  },
};

/** A chunk as a function, which the loader expects. */
async function chunkOf(code) {
  const body = (await small(code, 'cjs')).replaceAll(/\bimport\("\.\//g, 'importChunk("./');
  return `(function(module,exports,require,importChunk,waitFor){"use strict";${body}})`;
}

/** Minified, and in ASCII, as the loader reads it: V8 stores text with any other character as two bytes per character. */
async function small(code, format) {
  const options = {target: 'node24', format, charset: 'ascii', legalComments: 'none'};
  const {code: short} = await transform(code, {...options, minifySyntax: true, minifyWhitespace: true});
  // esbuild escapes strings, but leaves regular expressions as they are.
  return short.replaceAll(/[^\0-\x7f]/g, sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Removes chunks of earlier builds. Recent ones stay, because a running program may still load them. */
function removeStaleChunks(outdir, current) {
  const hourAgo = Date.now() - 3_600_000;
  for (const name of readdirSync(join(outdir, 'chunks'))) {
    const path = join(outdir, 'chunks', name);
    if (!current.has(`chunks/${name}`) && statSync(path).mtimeMs < hourAgo) rmSync(path);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await bundle(join(root, 'dist'));
