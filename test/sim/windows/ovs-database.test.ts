import {existsSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {tablesOf} from '../../../src/sim/node/ovs.js';
import {OvsDatabase} from '../../../src/sim/windows/ovs-database.js';
import type {NodeDump} from '../../../src/snapshot/document.js';
import {nodeOf} from '../../helper/powershell.js';

const hasOvs = existsSync('/usr/share/openvswitch/vswitch.ovsschema');
if (!hasOvs) {
  process.stderr.write('OVS tests skipped: no Open vSwitch found; not tested: the database of a simulated node\n');
}

/** The names of the rows, and the external IDs of the bridges. */
function seen(state: NodeDump): unknown {
  const tables = tablesOf(state.sections.ovs);
  const column = (table: 'Bridge' | 'Port' | 'Interface', name: string) => {
    const {headings = [], data = []} = tables[table] ?? {};
    return data.map(cells => JSON.stringify(cells[headings.indexOf(name)])).toSorted();
  };
  return [
    column('Bridge', 'name'),
    column('Port', 'name'),
    column('Interface', 'name'),
    column('Bridge', 'external_ids'),
  ];
}

describe.skipIf(!hasOvs)('the database of a simulated node', () => {
  it('takes over a change of rows that it has, and rows that come and go', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-ovs-'));
    const database = OvsDatabase.start(folder);
    try {
      const full = nodeOf('01-antrea-healthy');
      const changed = structuredClone(full);
      const {headings, data} = (
        changed.sections.ovs as {Tables: Record<'Bridge', {headings: string[]; data: unknown[][]}>}
      ).Tables.Bridge;
      for (const cells of data) cells[headings.indexOf('external_ids')] = ['map', [['vendor', 'test']]];
      const empty = structuredClone(full);
      for (const table of Object.values(
        (empty.sections.ovs as {Tables: Record<string, {headings: string[]; data: unknown[][]}>}).Tables,
      ))
        if (!table.headings.includes('ovs_version')) table.data = [];
        else for (const cells of table.data) cells[table.headings.indexOf('bridges')] = ['set', []];
      for (const state of [full, changed, empty, full]) {
        database.write(state);
        expect(seen(database.read(state))).toEqual(seen(state));
      }
    } finally {
      database.stop();
      rmSync(folder, {recursive: true, force: true});
    }
  });
});
