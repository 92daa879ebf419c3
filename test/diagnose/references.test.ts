import {readdirSync, readFileSync} from 'node:fs';
import {describe, expect, it} from 'vitest';
import {diagnose} from '../../src/diagnose/diagnose.js';
import {snapshotDocument} from '../../src/snapshot/document.js';
import {readSnapshot} from '../../src/snapshot/snapshot.js';

const folder = new URL('../fixtures/references/', import.meta.url);
const files = readdirSync(folder).filter(file => file.endsWith('.json'));

/** A healthy cluster of each plugin, as `collect` wrote it. */
describe.each(files)('the healthy reference %s', file => {
  const snapshot = readSnapshot(snapshotDocument.parse(JSON.parse(readFileSync(new URL(file, folder), 'utf8'))));
  const names = [...snapshot.nodes.keys()];
  const {nodes, cluster} = diagnose({snapshot, names, failures: new Map(), selection: {}, now: new Date(0)});
  const results = [...cluster.results, ...nodes.flatMap(node => node.results)];

  it('has no error and no warning', () => {
    expect(names.length).toBeGreaterThan(0);
    expect(results.filter(({outcome}) => outcome === 'fail').map(({id, message}) => `${id}: ${message}`)).toEqual([]);
  });

  it('has no check that is undetermined anew', async () => {
    const unknown = [...new Set(results.filter(({outcome}) => outcome === 'unknown').map(({id}) => id))].sort();
    await expect(unknown.map(id => `${id}\n`).join('')).toMatchFileSnapshot(
      `../fixtures/references/${file.replace(/\.json$/, '.unknown.txt')}`,
    );
  });
});
