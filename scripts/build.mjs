// The bundle: a small file to start with, and chunks beside it that load as they are used.
import {mkdirSync, readdirSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {build} from 'esbuild';
import {commit} from './package/commit.mjs';
import {esbuildTextModules} from './text-modules.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Libraries that are replaced or left out, each for a reason that is not speed. */
const alias = {
  // Optional for Ink and never used here; an ES module cannot miss an import.
  'react-devtools-core': './scripts/light/empty.mjs',
  // Asks for the home folder when it loads, and some users have none. Stacks are shown as they are.
  'clean-stack': './scripts/light/whole-stack.mjs',
  // The deprecated built-in of that name is not what a library means by punycode.
  punycode: 'punycode/',
};

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
    alias,
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [esbuildTextModules],
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
