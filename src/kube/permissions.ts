/** How long a restarted server may not have loaded its roles yet. */
const coldMs = 60_000;

/**
 * Records what the API server has allowed in this run, to distinguish a temporary "forbidden" from a missing permission:
 * after a restart it denies everyone but administrators until it has loaded the roles.
 */
export class Permissions {
  readonly #allowed = new Set<string>();
  #awayAt = Number.NEGATIVE_INFINITY;

  /** The server has allowed the request. */
  allowed(method: string, path: string): void {
    this.#allowed.add(rightOf(method, path));
  }

  /** The server did not answer, or dropped a connection. */
  away(): void {
    this.#awayAt = performance.now();
  }

  /** Whether a denial would be unexpected. */
  expects(method: string, path: string): boolean {
    return this.#allowed.has(rightOf(method, path)) || performance.now() - this.#awayAt < coldMs;
  }
}

/** Method and path without the object's name: permissions apply to kinds in namespaces. */
function rightOf(method: string, path: string): string {
  const [, root = '', scope = '', resource = '', name, rest = ''] =
    /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)(\/namespaces\/[^/]+(?=\/))?\/([^/]+)(\/[^/]+)?(\/.*)?$/.exec(path) ?? [];
  if (root === '') return `${method} ${path}`;
  // Getting one object and listing all are separate permissions.
  return `${method} ${root}${scope}/${resource}${name === undefined ? '' : '/*'}${rest}`;
}
