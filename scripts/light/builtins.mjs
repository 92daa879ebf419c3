// Built-in modules that Node takes long to load, each loaded by the first call of one of its functions.
import {readFileSync} from 'node:fs';

const slow = /^node:(crypto|readline|stream\/consumers|timers\/promises|util|zlib)$/;
const takers = /\/src\/|\/node_modules\/@oclif\/core\//;

export const lazyBuiltins = {
  name: 'lazy-builtins',
  setup(build) {
    build.onResolve({filter: slow}, ({path, importer}) =>
      takers.test(importer) && !takesClass(importer, path)
        ? {path, namespace: 'lazy-builtin', sideEffects: false}
        : undefined,
    );
    build.onLoad({filter: slow, namespace: 'lazy-builtin'}, async ({path}) => ({
      contents: lazy(path, await import(path)),
    }));
  },
};

/** A class is more than a function to call. */
function takesClass(importer, path) {
  const [, names = ''] = new RegExp(`import \\{([^}]*)\\} from '${path}'`).exec(readFileSync(importer, 'utf8')) ?? [];
  return /\b[A-Z]/.test(names.replaceAll(/\btype \w+/g, ''));
}

function lazy(path, module) {
  return Object.entries(module)
    .filter(([name, value]) => typeof value === 'function' && /^[a-z]/.test(name) && name !== 'default')
    .map(([name]) => `export const ${name} = (...args) => process.getBuiltinModule('${path}').${name}(...args);\n`)
    .join('');
}
