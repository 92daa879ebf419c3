import {alphabetically} from '../lib/natural-order.js';
import {plugins} from '../plugins/all.js';

/** Verbs on resources of one group. */
export interface Right {
  readonly verbs: readonly string[];
  readonly group?: string;
  /** With an optional subresource, as in `pods/exec`. */
  readonly resources: readonly string[];
  /** Limits the right to these objects. */
  readonly names?: readonly string[];
  /** Why it is required, if that is not obvious. */
  readonly why?: string;
}

export interface AccessRole {
  /** Where it must be bound: in the whole cluster, or only in the helpers' namespace. */
  readonly scope: 'cluster' | 'helper namespace';
  /** What it is for. */
  readonly about: string;
  readonly rights: readonly Right[];
}

const customResources = new Map<string, Set<string>>();
for (const {footprint} of plugins) {
  for (const [group, resources] of Object.entries(footprint.customResources)) {
    customResources.set(group, new Set([...(customResources.get(group) ?? []), ...resources]));
  }
}

const tunnelObjects = plugins.flatMap(({tunnelSetting}) =>
  tunnelSetting.by === 'settings' ? tunnelSetting.objects : [],
);

/**
 * All permissions that commands require. The access checks and manifests/rbac.yaml are both derived from this table, so
 * that they cannot differ.
 */
export const roles = {
  look: {
    scope: 'cluster',
    about:
      'Read the Kubernetes API: "nodes", "doctor --no-helper". Nothing runs on a node. Lists that cannot be read are reported, and the checks that need them are undetermined. Secrets are never read. Boot times in "nodes" come from the kubelets and require "get" on nodes/proxy. That right is equivalent to administrator access to the nodes, so this role does not include it. Without it, boot times are unknown.',
    rights: [
      {verbs: ['list'], resources: ['nodes', 'namespaces', 'pods', 'services', 'configmaps', 'events']},
      {verbs: ['list'], group: 'apps', resources: ['daemonsets', 'deployments']},
      {verbs: ['list'], group: 'discovery.k8s.io', resources: ['endpointslices']},
      ...[...customResources]
        .sort(([one], [other]) => alphabetically(one, other))
        .map(([group, resources], index) => ({
          verbs: ['list'],
          group,
          resources: [...resources],
          ...(index === 0 && {
            why: 'Custom resources of the plugins. Groups that the cluster does not have are ignored.',
          }),
        })),
    ],
  },
  inspect: {
    scope: 'helper namespace',
    about:
      'Read nodes through helper pods, in addition to the role look: "doctor", "inspect", "collect", "logs", "events", "shell", "preflight", "helper status", "helper prune". It allows users to run anything as SYSTEM on the nodes. Bind it only in the helper namespace. Creating that namespace requires "create" on namespaces; without it, an administrator applies namespace.yaml once.',
    rights: [
      {verbs: ['get'], resources: ['namespaces'], why: 'Reads the Pod Security level of the namespace.'},
      {
        verbs: ['list', 'watch', 'create', 'delete', 'deletecollection'],
        resources: ['pods'],
        why: 'Without "watch", pods are listed every two seconds. Without "deletecollection", they are deleted one by one.',
      },
      {
        verbs: ['get', 'create'],
        resources: ['pods/exec'],
        why: 'A WebSocket starts as a GET, so the API server requires "get"; from Kubernetes 1.35 on, it also requires "create".',
      },
      {verbs: ['list', 'create', 'delete'], resources: ['configmaps']},
      {verbs: ['list'], resources: ['events'], why: 'Reports why a helper pod does not start.'},
      {verbs: ['list'], group: 'apps', resources: ['daemonsets'], why: 'Finds the DaemonSet of "helper install".'},
    ],
  },
  repair: {
    scope: 'cluster',
    about:
      'Repair, in addition to the roles look and inspect: "cleanup", "doctor --fix", "annotate-tunnel". It allows users to cordon, annotate and drain nodes, and to restart agent pods.',
    rights: [
      {verbs: ['get', 'patch'], resources: ['nodes']},
      {verbs: ['get', 'delete'], resources: ['pods']},
      {verbs: ['create'], resources: ['pods/eviction']},
      ...tunnelObjects.map(({group, resource, name}, index) => ({
        verbs: ['patch'],
        ...(group && {group}),
        resources: [resource],
        names: [name],
        ...(index === 0 && {
          why: '"annotate-tunnel --apply", for plugins that have a setting instead of an annotation: Antrea, and Calico installed by manifest.',
        }),
      })),
      {verbs: ['create'], resources: ['events'], why: 'Records each change as an Event on the Node.'},
    ],
  },
  install: {
    scope: 'helper namespace',
    about:
      'Manage the DaemonSet of "helper install" and "helper uninstall", in addition to the role inspect. Bind it only in the helper namespace.',
    rights: [
      {verbs: ['create', 'update', 'delete'], group: 'apps', resources: ['daemonsets']},
      {verbs: ['get'], resources: ['configmaps']},
    ],
  },
} as const satisfies Readonly<Record<string, AccessRole>>;

export type RoleName = keyof typeof roles;

/** The name of a role in the cluster. */
export const roleTitle = (name: RoleName) => `kubectl-win-${name}` as const;

/** A permission that a command requires. */
export interface AccessNeed {
  /** The role that includes it; undefined: none of ours. */
  role?: RoleName;
  verb: string;
  group: string;
  /** With an optional subresource, as in `pods/exec`. */
  resource: string;
  namespace?: string | undefined;
  /** Limits it to one object. */
  name?: string | undefined;
}

interface Where {
  namespace?: string | undefined;
  name?: string | undefined;
}

/** Parses a permission such as `patch daemonsets.apps`. Throws if the role does not include it, which is a programming error. */
export function need(role: RoleName, right: string, where: Where = {}): AccessNeed {
  const found = rightOf(right, where, [role]);
  if (!found.role)
    throw new Error(`The role ${roleTitle(role)} has no right to ${right}${where.name ? ` ${where.name}` : ''}.`);
  return found;
}

/** The same for permissions known only at run time, with the role that includes it, if any. */
export function rightOf(
  right: string,
  {namespace, name}: Where,
  among: readonly RoleName[] = Object.keys(roles) as RoleName[],
): AccessNeed {
  const [verb = '', subject = ''] = right.split(' ');
  const [resource = '', ...rest] = subject.split('.');
  const group = rest.join('.');
  const holds = ({verbs, group: own = '', resources, names}: Right) =>
    own === group && verbs.includes(verb) && resources.includes(resource) && (!names || names.includes(name ?? ''));
  const role = among.find(each => (roles[each].rights as readonly Right[]).some(holds));
  return {...(role && {role}), verb, group, resource, namespace, name};
}
