// OVS tables as printed by `ovs-vsctl --format=json list`: headings, and rows of cells.

interface Table {
  headings: string[];
  data: unknown[][];
}

export interface RawOvs {
  Tables: Record<'Open_vSwitch' | 'Bridge' | 'Port' | 'Interface', Table>;
}

/** Sets cells of the row with that name. */
export function setRow(
  {Tables}: RawOvs,
  table: 'Bridge' | 'Port' | 'Interface',
  name: string,
  cells: Record<string, unknown>,
): void {
  const {headings, data} = Tables[table];
  const row = data.find(its => its[headings.indexOf('name')] === name);
  if (!row) throw new Error(`there is no ${table} ${name}`);
  for (const [heading, value] of Object.entries(cells)) row[headings.indexOf(heading)] = value;
}

export function removeRow({Tables}: RawOvs, table: 'Bridge' | 'Port' | 'Interface', name: string): void {
  const {headings, data} = Tables[table];
  Tables[table].data = data.filter(row => row[headings.indexOf('name')] !== name);
}

/** Sets one external ID of the root row; undefined removes it. */
export function setRootId({Tables}: RawOvs, key: string, value: string | undefined): void {
  const {headings, data} = Tables.Open_vSwitch;
  const cell = data[0]?.[headings.indexOf('external_ids')] as ['map', [string, string][]];
  cell[1] = [
    ...cell[1].filter(([its]) => its !== key),
    ...(value === undefined ? [] : [[key, value] as [string, string]]),
  ];
}

export const emptySet = ['set', []];
