// The bundle: a small file to start with, and chunks beside it that load as they are used.
import {mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {build} from 'esbuild';
import {lazyBuiltins} from './light/builtins.mjs';
import {commit} from './package/commit.mjs';
import {esbuildTextModules} from './text-modules.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Writes the bundle into a folder and gives what esbuild tells of it. */
export async function bundle(outdir) {
  const {metafile, outputFiles} = await build({
    absWorkingDir: root,
    entryPoints: ['src/main.ts'],
    outdir,
    entryNames: 'kubectl-win',
    chunkNames: 'chunks/[hash]',
    bundle: true,
    splitting: true,
    metafile: true,
    write: false,
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
    alias: {'react-devtools-core': './scripts/light/empty.mjs', punycode: 'punycode/'},
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [lazyBuiltins, smallZod, lightModules, esbuildTextModules],
  });
  mkdirSync(join(outdir, 'chunks'), {recursive: true});
  for (const {path, text} of outputFiles) writeFileSync(path, withRequire(text));
  removeStaleChunks(outdir, metafile);
  return metafile;
}

/** CommonJS inside the bundle asks for built-in modules with require, which an ES module has to be given. */
function withRequire(text) {
  return text.includes('typeof require<') ? `${requireBuiltin}\n${text}` : text;
}

const requireBuiltin = `function require(name) {
  const found = process.getBuiltinModule(name);
  if (!found) throw Object.assign(new Error(\`there is no module "\${name}"\`), {code: 'MODULE_NOT_FOUND'});
  return found;
}`;

/** What libraries carry besides what is used of them. */
const lightModules = {
  name: 'light-modules',
  setup(build) {
    build.onResolve({filter: /^@oclif\/core$/}, () => ({
      path: join(root, 'scripts/light/oclif.mjs'),
      sideEffects: false,
    }));
    build.onResolve({filter: /^semver$/}, () => ({path: join(root, 'scripts/light/semver.mjs'), sideEffects: false}));
    build.onResolve({filter: /^debug$/}, () => ({path: join(root, 'scripts/light/no-debug.mjs')}));
    build.onResolve({filter: /^clean-stack$/}, () => ({path: join(root, 'scripts/light/whole-stack.mjs')}));
    // Of oclif the help and the way it prints errors, both of which the program does itself.
    build.onResolve(
      {filter: /^\.\.?\/help(\/index)?$|^(ansis|supports-color|wrap-ansi|indent-string)$/},
      ({importer}) => (importer.includes('/@oclif/core/') ? {path: join(root, 'scripts/light/empty.mjs')} : undefined),
    );
    build.onResolve({filter: /^(string-width|js-yaml)$/}, ({path, importer}) =>
      importer.startsWith(join(root, 'src'))
        ? {path: join(root, `scripts/light/${path}.mjs`), sideEffects: false}
        : undefined,
    );
    // Messages in other languages.
    build.onResolve({filter: /locales\/index\.js$/}, ({importer}) =>
      importer.includes('/zod/') ? {path: join(root, 'scripts/light/empty.mjs')} : undefined,
    );
  },
};

/** A zod of its own for who uses the small one. They would share zod's core, and the large one takes all of that. */
const smallZod = {
  name: 'small-zod',
  setup(build) {
    // Paths below the root, so that a bundle is the same wherever it is made.
    const own = path => ({path, namespace: 'small-zod', sideEffects: false});
    build.onResolve({filter: /^zod\/mini$/}, () => own('node_modules/zod/mini/index.js'));
    build.onResolve({filter: /^zod\/v4\/locales\/en\.js$/}, ({path}) => own(`node_modules/${path}`));
    build.onResolve({filter: /^\./, namespace: 'small-zod'}, ({path, importer}) =>
      own(path.endsWith('/locales/index.js') ? 'scripts/light/empty.mjs' : join(dirname(importer), path)),
    );
    build.onLoad({filter: /./, namespace: 'small-zod'}, ({path}) => ({contents: readFileSync(join(root, path))}));
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
