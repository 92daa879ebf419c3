import {WinError} from './errors.js';

/** A path of the API with its values escaped: apiPath`/api/v1/nodes/${name}`. */
export function apiPath(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw({raw: parts.raw}, ...values.map(segment));
}

/**
 * No object of Kubernetes has such a name, and in a path it would name another object, or all of them: URL parsers
 * resolve dots, escaped too, and the API server splits paths after it has unescaped them.
 */
function segment(value: string): string {
  if (value !== '' && value !== '.' && value !== '..' && !/[/%]/.test(value)) return encodeURIComponent(value);
  throw new WinError(`"${value}" is not a name of an object in Kubernetes.`, {
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
