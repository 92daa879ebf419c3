/** How long after its absence a server may not know its roles yet. */
const coldMs = 60_000;

/**
 * What the API server has allowed in this run, so that a later "forbidden" can be told from a missing right: after a
 * restart it refuses everyone but administrators, until it has read the roles.
 */
export class Permissions {
  readonly #allowed = new Set<string>();
  #awayAt = Number.NEGATIVE_INFINITY;

  /** The server has carried it out. */
  allowed(method: string, path: string): void {
    this.#allowed.add(rightOf(method, path));
  }

  /** The server did not answer, or broke a connection off. */
  away(): void {
    this.#awayAt = performance.now();
  }

  /** Whether a refusal would be news. */
  expects(method: string, path: string): boolean {
    return this.#allowed.has(rightOf(method, path)) || performance.now() - this.#awayAt < coldMs;
  }
}

/** Method and path without the object's name: rights are given for kinds in namespaces. */
function rightOf(method: string, path: string): string {
  const [, root = '', scope = '', resource = '', name, rest = ''] =
    /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)(\/namespaces\/[^/]+(?=\/))?\/([^/]+)(\/[^/]+)?(\/.*)?$/.exec(path) ?? [];
  if (root === '') return `${method} ${path}`;
  // Reading one and reading all are two rights.
  return `${method} ${root}${scope}/${resource}${name === undefined ? '' : '/*'}${rest}`;
}
