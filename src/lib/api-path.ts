/** A path of the API with its values escaped: apiPath`/api/v1/nodes/${name}`. */
export function apiPath(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw({raw: parts.raw}, ...values.map(encodeURIComponent));
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export function withQuery(path: string, query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.append(name, String(value));
  }
  return search.size > 0 ? `${path}?${search}` : path;
}
