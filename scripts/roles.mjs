// Generates manifests/rbac.yaml from the table of rights that the access checks use.
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {build} from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, 'node_modules/.cache');
mkdirSync(cache, {recursive: true});
const folder = mkdtempSync(join(cache, 'roles-'));
try {
  const outfile = join(folder, 'roles.mjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['src/session/roles-manifest.ts'],
    bundle: true,
    outfile,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  const {rolesManifest} = await import(pathToFileURL(outfile));
  writeFileSync(join(root, 'manifests/rbac.yaml'), rolesManifest());
} finally {
  rmSync(folder, {recursive: true, force: true});
}
