export interface ImageReference {
  /** With its registry, as in containerd: `antrea/antrea-windows` is `docker.io/antrea/antrea-windows`. */
  readonly repository: string | undefined;
  readonly digest: string | undefined;
}

const wholeReference = /^([a-z0-9][a-z0-9._:/-]*?)(?::[\w][\w.-]{0,127})?(?:@(sha256:[0-9a-f]{64}))?$/;

/** The parts of an image's name; undefined if it is not valid (`<none>@<none>`). */
export function imageReference(name: string): ImageReference {
  // No registry accepts longer names.
  const [, path, digest] = (name.length <= 512 && wholeReference.exec(name)) || [];
  if (path === undefined) return {repository: undefined, digest: undefined};
  const [host = ''] = path.split('/');
  if (!path.includes('/')) return {repository: `docker.io/library/${path}`, digest};
  return {repository: /[.:]|^localhost$/.test(host) ? path : `docker.io/${path}`, digest};
}
