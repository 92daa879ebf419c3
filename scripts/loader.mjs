// The first file of the program, as a bundle and as an executable. It loads the chunks, each with what V8 has made of it
// before: all that ran then is compiled already. Node's own compile cache has nothing but what runs when a file loads.
const wanted = 'NODE';
if (isOlder(process.versions.node, wanted)) {
  // Before anything is asked of it that it may not have.
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
// Beside the chunks, where an uninstall removes it, and nowhere else. Each command has its own: what others run of the same
// chunks would have to be read too, and the simulated cluster runs most of it.
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
  // V8 refuses what was made with another build or other flags. After the first chunk a command may have set some itself.
  isOfOthers ||= loaded.size === 0 && script.cachedDataRejected === true;
  const module = {exports: {}};
  loaded.set(name, {module, script});
  script.runInThisContext()(module, module.exports, load, importChunk, waitFor);
  return module.exports;
}

/** What `import()` is in a chunk. */
async function importChunk(path) {
  const chunk = load(path);
  await ready;
  return chunk;
}

/** A library that cannot be used at once says so. */
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
 * A command that runs for the first time, or loads more than before, keeps what it has compiled. Where the folder may not be
 * written nothing is kept. V8 trusts what it reads here, so a file never exists in part, even if a process fails meanwhile.
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
