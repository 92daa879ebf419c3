// What the executable runs first. The bundle is inside the executable as assets, chunk by chunk, and this lets them
// import one another as if they were files: compiling all of it would take longer than most commands.
import {createRequire, registerHooks} from 'node:module';
import {getAsset} from 'node:sea';
import {pathToFileURL} from 'node:url';

const root = `${pathToFileURL(process.execPath)}/`;
// The main module of an executable can import nothing but built-in modules; a CommonJS module can.
const importer = `${root}importer.cjs`;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === importer) return {url: importer, format: 'commonjs', shortCircuit: true};
    if (!context.parentURL?.startsWith(root) || !specifier.startsWith('.')) return next(specifier, context);
    return {url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true};
  },
  load(url, context, next) {
    if (url === importer)
      return {source: 'module.exports = path => import(path);', format: 'commonjs', shortCircuit: true};
    if (!url.startsWith(root)) return next(url, context);
    return {source: getAsset(url.slice(root.length), 'utf8'), format: 'module', shortCircuit: true};
  },
});

await createRequire(root)(importer)('./kubectl-win.js');
