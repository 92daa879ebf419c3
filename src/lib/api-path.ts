import {WinError} from './errors.js';

/** An API path with escaped values: apiPath`/api/v1/nodes/${name}`. */
export function apiPath(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw({raw: parts.raw}, ...values.map(segment));
}

/**
 * Refuses names that no Kubernetes object can have, and that would address another object or all of them: URL parsers
 * resolve dots, even if escaped, and the API server splits paths after unescaping them.
 */
function segment(value: string): string {
  if (value !== '' && value !== '.' && value !== '..' && !/[/%]/.test(value)) return encodeURIComponent(value);
  throw new WinError(`"${value}" is not a valid name of a Kubernetes object.`, {
    next: ['Check the names in the plan file or on the command line.'],
  });
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export function withQuery(path: string, query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.append(name, String(value));
  }
  return search.size > 0 ? `${path}?${search}` : path;
}
