// Downloads Node for a platform from the npm registry, once: all six would be too much for every `npm ci`.
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, renameSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const cache = fileURLToPath(new URL('../../node_modules/.cache/node-runtimes', import.meta.url));

/** The path of the executable. Throws if the registry does not have it. */
export function fetchNode(name, version, windows) {
  const folder = join(cache, `${name}-${version}`);
  if (!existsSync(folder)) {
    mkdirSync(cache, {recursive: true});
    const partial = mkdtempSync(join(cache, '.partial-'));
    try {
      // npm verifies the download with the hash of the registry.
      const [archive] = JSON.parse(npm(['pack', '--json', `--pack-destination=${partial}`, `${name}@${version}`]));
      execFileSync('tar', ['-xzf', join(partial, archive.filename), '-C', partial]);
      renameSync(join(partial, 'package'), folder);
    } finally {
      rmSync(partial, {recursive: true, force: true});
    }
  }
  return join(folder, 'bin', windows ? 'node.exe' : 'node');
}

const npm = args =>
  execFileSync('npm', args, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 64 * 1024 * 1024});
