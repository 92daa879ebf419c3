interface Named {
  readonly metadata: {readonly namespace?: string | undefined};
}

/** Kubernetes and OpenShift reserve these prefixes for what administrators install. */
const reserved = /^(kube|openshift)-/;

/**
 * Selects the objects of a plugin from objects with matching names. Other users may use such a name in their own
 * namespaces: if a reserved or usual namespace of the plugin contains such an object, the others are ignored.
 */
export function ofPlugin<Object extends Named>(
  named: readonly Object[],
  usualNamespaces: readonly string[] = [],
): readonly Object[] {
  const own = named.filter(
    ({metadata: {namespace = ''}}) => reserved.test(namespace) || usualNamespaces.includes(namespace),
  );
  return own.length > 0 ? own : named;
}
