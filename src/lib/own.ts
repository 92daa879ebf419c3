/** What a table says of a name that someone else chose: `constructor` and `toString` are in no table. */
export const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
