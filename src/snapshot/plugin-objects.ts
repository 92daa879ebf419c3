interface Named {
  readonly metadata: {readonly namespace?: string | undefined};
}

/** Kubernetes and OpenShift reserve these prefixes for what administrators install. */
const reserved = /^(kube|openshift)-/;

/**
 * The objects of a plugin among those that are named as its own. Anyone may use such a name in a namespace of their own:
 * where a reserved namespace, or one that the plugin usually has, holds one, the others do not count.
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
