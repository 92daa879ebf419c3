// The start file of the bundle and of the executable. It loads the chunks with the code that V8 compiled in earlier
// runs. Node's own compile cache contains only code that runs while a file loads.
const wanted = 'NODE';
if (isOlder(process.versions.node, wanted)) {
  // First, because an older Node may lack what follows.
  process.stderr.write(`error: kubectl win requires Node ${wanted} or newer (found ${process.versions.node}).
  Use a newer Node, or the self-contained executable.
`);
  process.exit(2);
}

const {mkdirSync, readFileSync, renameSync, rmSync, writeFileSync} = process.getBuiltinModule('node:fs');
const {getAsset, isSea} = process.getBuiltinModule('node:sea');
const {Script} = process.getBuiltinModule('node:vm');

const inExecutable = isSea();
const root = inExecutable ? process.execPath : import.meta.dirname;
const read = inExecutable
  ? name => getAsset(`chunks/${name}`, 'utf8')
  : name => readFileSync(`${root}/chunks/${name}`, 'latin1');
// Beside the chunks, so that an uninstall removes it. Each command has its own cache; otherwise it would also read the
// code that only other commands run, such as the simulated cluster.
const commands = 'COMMANDS'.split(' ');
const command = commands.includes(process.argv[2]) ? process.argv[2] : 'others';
const compiled = inExecutable ? undefined : `${root}/compiled/${process.version}-${process.arch}/${command}`;

const loaded = new Map();
let ready = Promise.resolve();
let isFirstRun = false;
let isOfOthers = false;

function load(path) {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const known = loaded.get(name);
  if (known) return known.module.exports;
  const cachedData = compiledOf(name);
  const script = new Script(read(name), {filename: `${root}/chunks/${name}`, cachedData});
  isFirstRun ||= cachedData === undefined;
  // V8 rejects code of another build or with other flags. After the first chunk, a command may have set flags itself.
  isOfOthers ||= loaded.size === 0 && script.cachedDataRejected === true;
  const module = {exports: {}};
  loaded.set(name, {module, script});
  script.runInThisContext()(module, module.exports, load, importChunk, waitFor);
  return module.exports;
}

/** Replaces `import()` in a chunk. */
async function importChunk(path) {
  const chunk = load(path);
  await ready;
  return chunk;
}

/** For a library that is not ready immediately. */
function waitFor(promise) {
  ready = Promise.all([ready, promise]);
}

function compiledOf(name) {
  if (compiled === undefined) return undefined;
  try {
    return readFileSync(`${compiled}/${name}`);
  } catch {
    return undefined;
  }
}

/**
 * Caches compiled code if a command runs for the first time or loads more than before. If the folder is not writable,
 * there is no cache. V8 does not verify these files, so each is renamed into place when it is complete.
 */
function keepCompiled() {
  if (!(isFirstRun || isOfOthers) || compiled === undefined) return;
  try {
    if (isOfOthers) rmSync(compiled, {recursive: true});
    mkdirSync(compiled, {recursive: true});
    for (const [name, {script}] of loaded) {
      const partial = `${compiled}/${name}.${process.pid}`;
      writeFileSync(partial, script.createCachedData(), {flush: true});
      renameSync(partial, `${compiled}/${name}`);
    }
  } catch {}
}

function isOlder(version, than) {
  const [major, minor] = version.split('.').map(Number);
  const [leastMajor, leastMinor] = than.split('.').map(Number);
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}

process.once('exit', keepCompiled);
load('START');
