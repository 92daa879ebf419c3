// Text files inside the program: YAML manifests and scenarios, the helper's PowerShell, and the descriptions of
// commands. The bundle and the tests share this definition, so that both see the same bytes.
import {createHash} from 'node:crypto';
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describedCommands} from './commands.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const helperScript = 'virtual:helper.ps1';
const helperHash = 'virtual:helper.sha256';
const windowsStub = 'virtual:windows-stub';
const commands = 'virtual:commands';

/** The helper as one script: `helper/order.txt` names the files of `helper/` in order. */
export function assembleHelper(directory = join(root, 'helper')) {
  const files = readFileSync(join(directory, 'order.txt'), 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'));
  return files.map(file => readFileSync(join(directory, file), 'utf8').replaceAll('\r\n', '\n')).join('\n');
}

/** Its SHA-256, for code that needs only the hash. */
const hashOfHelper = () => createHash('sha256').update(assembleHelper(), 'utf8').digest('hex');

export function helperFiles(directory = join(root, 'helper')) {
  return readdirSync(directory, {recursive: true, encoding: 'utf8'}).filter(file => file.endsWith('.ps1'));
}

/** The stand-in for Windows, by file name: the helper runs against it on other systems. */
function windowsStubFiles(directory = join(root, 'src/sim/windows')) {
  const files = readdirSync(directory).filter(file => /\.(psm?1|mjs)$/.test(file));
  const texts = files.map(file => [file, readFileSync(join(directory, file), 'utf8')]);
  return {...Object.fromEntries(texts), 'classes.json': JSON.stringify(contractClasses(directory))};
}

/** The CIM classes of the contract: the namespace of each, and the types of its properties with the inherited ones. */
export function contractClasses(directory = join(root, 'src/sim/windows')) {
  const {namespaces} = JSON.parse(readFileSync(join(directory, 'contract/cim.json'), 'utf8'));
  const typeOf = property => (typeof property === 'string' ? property : (property.powershell ?? property.type));
  const propertiesOf = (classes, name) => {
    const {super: base, properties = {}} = classes[name] ?? {};
    const own = Object.entries(properties).map(([property, type]) => [property, typeOf(type)]);
    return {...(base ? propertiesOf(classes, base) : {}), ...Object.fromEntries(own)};
  };
  const all = Object.entries(namespaces).flatMap(([namespace, classes]) =>
    Object.keys(classes)
      .filter(name => !name.startsWith('CIM_'))
      .map(name => [name, {Namespace: namespace, Properties: propertiesOf(classes, name)}]),
  );
  return Object.fromEntries(all);
}

/** For Vite, which runs the tests: they read descriptions from the commands themselves. */
export const viteTextModules = {
  name: 'text-modules',
  enforce: 'pre',
  resolveId: id => ([helperScript, helperHash, windowsStub].includes(id) ? `\0${id}` : undefined),
  load(id) {
    if (id === `\0${helperScript}`) return asModule(assembleHelper());
    if (id === `\0${helperHash}`) return asModule(hashOfHelper());
    if (id === `\0${windowsStub}`) return asModule(windowsStubFiles());
    if (id.endsWith('.yaml')) return asModule(readFileSync(id, 'utf8'));
    return undefined;
  },
};

/** For the bundle, which contains the descriptions of commands as data. */
export const bundledTextModules = {
  name: 'text-modules',
  resolveId: id => (id === commands ? `\0${id}` : viteTextModules.resolveId(id)),
  load: async id =>
    id === `\0${commands}` ? asModule((await describedCommands()).commandFacts) : viteTextModules.load(id),
};

/** Data is parsed when the module runs: V8 parses JSON three times as fast as the same data in JavaScript. */
const asModule = value =>
  typeof value === 'string'
    ? `export default ${JSON.stringify(value)};`
    : `export default JSON.parse(${JSON.stringify(JSON.stringify(value))});`;
