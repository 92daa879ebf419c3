import {apiServer, isService} from '../../checks/cni/api-server-override.js';
import {shellText} from '../../lib/quote.js';
import type {Fleet} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, type Verdict} from '../../model/verdict.js';
import type {Workload} from '../../snapshot/cluster.js';
import {daemonSetName, windowsDaemonSets} from '../../snapshot/daemon-sets.js';

/** Only for flanneld in pods: as a service, it uses a kubeconfig. */
export function apiServerOverride(fleet: Fleet): readonly Verdict[] | undefined {
  const sets = windowsDaemonSets(fleet.cluster, /flannel/i);
  return sets.length > 0 ? sets.map(set => override(fleet, set)).filter(verdict => verdict !== undefined) : undefined;
}

function override({cluster}: Fleet, set: Workload): Verdict | undefined {
  const containers = set.spec.template.spec.containers.filter(({name, image}) => /flannel/i.test(`${name} ${image}`));
  // Variables from a ConfigMap, or its own kubeconfig, have the same effect.
  const isConfigured = containers.some(
    ({envFrom, command, args}) =>
      (Array.isArray(envFrom) && envFrom.length > 0) ||
      [...command, ...args].some(word => /kubeconfig-file|kube-api-url/.test(word)),
  );
  if (containers.length === 0 || isConfigured) return undefined;
  const variable = containers.flatMap(({env}) => env).find(({name}) => name === 'KUBERNETES_SERVICE_HOST');
  const value = variable?.value;
  if (variable?.valueFrom || (value && !isService(cluster, value))) return undefined;
  const {namespace = 'kube-flannel', name} = set.metadata;
  const [host, port] = apiServer(cluster)?.split(':') ?? [];
  return fail(
    value
      ? `KUBERNETES_SERVICE_HOST of ${daemonSetName(set)} is ${value}, a ClusterIP that flanneld on Windows cannot reach.`
      : `KUBERNETES_SERVICE_HOST is not set in ${daemonSetName(set)}: flanneld on Windows gets a ClusterIP that it cannot reach.`,
  )
    .because({
      section: 'cluster',
      object: daemonSetName(set),
      field: 'env KUBERNETES_SERVICE_HOST',
      seen: value ?? null,
      expected: host ?? 'the address of the API server',
    })
    .fixedBy(
      manual(
        `kubectl -n ${shellText(namespace)} set env daemonset/${shellText(name)} KUBERNETES_SERVICE_HOST=${host ?? 'ADDRESS'} KUBERNETES_SERVICE_PORT=${port ?? '6443'}`,
      ),
    );
}
