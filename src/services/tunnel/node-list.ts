import {WinError} from '../../lib/errors.js';
import {inputName, readInput} from '../../lib/read-input.js';

/** A line of the file: a node and the name of its adapter. */
export interface Entry {
  readonly node: string;
  readonly adapter: string;
}

/** Reads `--from-file`; `-` is stdin. */
export async function readNodeList(path: string): Promise<Entry[]> {
  try {
    return parseNodeList((await readInput(path)).toString(), inputName(path));
  } catch (error) {
    if (error instanceof WinError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new WinError(`cannot read ${path}: ${reason}.`, {cause: error});
  }
}

/** One node per line: its name, then the adapter name, which may contain spaces. A colon, comma or equals sign may separate them. */
export function parseNodeList(text: string, source: string): Entry[] {
  const entries = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((line, index) => {
      if (/^\s*(#|$)/.test(line)) return [];
      const [, node, written] = /^\s*(?:nodes?\/)?([a-z0-9][a-z0-9.-]*)\s*[\s:,=]\s*(\S.*?)\s*$/.exec(line) ?? [];
      if (node === undefined || written === undefined) {
        throw new WinError(`line ${index + 1} of ${source} is not a node and an adapter: ${line.trim()}.`, {
          next: ['Write one node per line: win-1 Ethernet 2'],
        });
      }
      return [{node, adapter: written.replace(/^(["'])(.*)\1$/, '$2')}];
    });
  const twice = entries.find(({node}, index) => entries.findIndex(other => other.node === node) < index);
  if (twice) throw new WinError(`${source} names ${twice.node} twice.`);
  if (entries.length === 0) throw new WinError(`${source} names no nodes.`);
  return entries;
}
