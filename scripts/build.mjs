// One bundle: everything the program needs in one file, loaded piece by piece as it is used.
import {chmodSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {build} from 'esbuild';
import {commit} from './package/commit.mjs';
import {esbuildTextModules} from './text-modules.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Writes the bundle and gives what esbuild tells of it. */
export async function bundle(outfile) {
  const {metafile} = await build({
    absWorkingDir: root,
    entryPoints: ['src/main.ts'],
    outfile,
    bundle: true,
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
    plugins: [esbuildTextModules],
  });
  chmodSync(outfile, 0o755);
  return metafile;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await bundle(join(root, 'dist/kubectl-win.js'));
