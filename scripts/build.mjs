// The bundle: a small file to start with, and chunks beside it that load as they are used.
import {chmodSync, readdirSync, rmSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {build} from 'esbuild';
import {commit} from './package/commit.mjs';
import {esbuildTextModules} from './text-modules.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Writes the bundle into a folder and gives what esbuild tells of it. */
export async function bundle(outdir) {
  const {metafile} = await build({
    absWorkingDir: root,
    entryPoints: ['src/main.ts'],
    outdir,
    entryNames: 'kubectl-win',
    chunkNames: 'chunks/[hash]',
    bundle: true,
    splitting: true,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    jsx: 'automatic',
    minifySyntax: true,
    minifyWhitespace: true,
    define: {
      'process.env.NODE_ENV': '"production"',
      'process.env.KUBECTL_WIN_COMMIT': JSON.stringify(commit()),
    },
    // Optional modules of libraries that are never used here; an ES module cannot miss an import.
    // The deprecated built-in of that name is not what a library means by punycode.
    alias: {'react-devtools-core': './scripts/empty.mjs', punycode: 'punycode/'},
    // CommonJS inside the bundle asks for built-in modules with require, which an ES module has to be given.
    banner: {
      js: [
        '#!/usr/bin/env node',
        "import {createRequire as __createRequire} from 'node:module';",
        "import {fileURLToPath as __toPath} from 'node:url';",
        "import {dirname as __toDirectory} from 'node:path';",
        'const require = __createRequire(import.meta.url);',
        'const __filename = __toPath(import.meta.url);',
        'const __dirname = __toDirectory(__filename);',
      ].join('\n'),
    },
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [lightModules, esbuildTextModules],
  });
  chmodSync(join(outdir, 'kubectl-win.js'), 0o755);
  removeStaleChunks(outdir, metafile);
  return metafile;
}

/** What libraries carry besides what is used of them. */
const lightModules = {
  name: 'light-modules',
  setup(build) {
    build.onResolve({filter: /^@oclif\/core$/}, () => ({path: join(root, 'scripts/oclif.mjs'), sideEffects: false}));
    // Tracing, and searching folders for commands and plugins.
    build.onResolve({filter: /^debug$/}, () => ({path: join(root, 'scripts/no-debug.mjs')}));
    build.onResolve({filter: /^(tinyglobby|minimatch)$/}, () => ({path: join(root, 'scripts/empty.mjs')}));
    // Messages in other languages.
    build.onResolve({filter: /locales\/index\.js$/}, ({importer}) =>
      importer.includes('/zod/') ? {path: join(root, 'scripts/empty.mjs')} : undefined,
    );
  },
};

/** Chunks of earlier builds. The newest stay: a program that was started before may load them yet. */
function removeStaleChunks(outdir, {outputs}) {
  const current = new Set(Object.keys(outputs).map(path => path.replace(/^.*\//, '')));
  const hourAgo = Date.now() - 3_600_000;
  for (const name of readdirSync(join(outdir, 'chunks'))) {
    const path = join(outdir, 'chunks', name);
    if (!current.has(name) && statSync(path).mtimeMs < hourAgo) rmSync(path);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await bundle(join(root, 'dist'));
