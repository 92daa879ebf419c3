// The licences of the content of the executable: Node, and the packages in the bundle.
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';

/** The folders of the packages in a bundle, from the output of its build. */
export function packagesIn(built) {
  const folders = Object.values(built.outputs)
    .flatMap(({inputs}) => Object.entries(inputs))
    .filter(([, {bytesInOutput}]) => bytesInOutput > 0)
    .map(([path]) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.replace(/^[\w-]+:/, ''))?.[0]);
  return [...new Set(folders.filter(folder => folder !== undefined))].sort();
}

export function notices(root, folders, nodeLicence) {
  const parts = folders.map(folder => notice(join(root, folder)));
  const node = `Node.js\n\n${nodeLicence.trim()}\n`;
  return `kubectl win contains the software below.\n\n${[...parts, node].join(`\n${'='.repeat(80)}\n\n`)}`;
}

function notice(folder) {
  const {name, version, license} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = existsSync(folder) ? readdirSync(folder).sort() : [];
  const texts = files
    .filter(file => /^(licen[cs]e|copying|notice)([.-].*)?$/i.test(file))
    .map(file => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());
  const text = texts.length > 0 ? texts.join('\n\n') : `Licence: ${license}. The package does not include its text.`;
  return `${name} ${version}\n\n${text}\n`;
}
