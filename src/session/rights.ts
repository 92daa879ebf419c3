import {alphabetically} from '../lib/natural-order.js';
import {plugins} from '../plugins/all.js';

/** Verbs on resources of one group. */
export interface Right {
  readonly verbs: readonly string[];
  readonly group?: string;
  /** With a subresource behind a slash, as in `pods/exec`. */
  readonly resources: readonly string[];
  /** The only objects, where it is not for all. */
  readonly names?: readonly string[];
  /** Why it is there, where that is not plain. */
  readonly why?: string;
}

export interface AccessRole {
  /** Where it has to be bound: in the whole cluster, or in the namespace of the helpers alone. */
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
 * Everything that commands ask the API server for. The access checks take their questions from here, and
 * manifests/rbac.yaml is written from it: neither can have what the other lacks.
 */
export const roles = {
  look: {
    scope: 'cluster',
    about:
      'Read the cluster\'s side: "nodes", "doctor --no-helper". Nothing is created on a node. Lists that may not be read are reported, and the checks that need them are undetermined. Secrets are never read. Boot times in "nodes" come from kubelets, which takes "get" on nodes/proxy: that is as good as being an administrator of the nodes, so it is not here, and without it no kubelet is asked.',
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
            why: "The plugins' own objects. Groups that the cluster does not have do no harm here.",
          }),
        })),
    ],
  },
  inspect: {
    scope: 'helper namespace',
    about:
      'Read nodes through helper pods, in addition to the role look: "doctor", "inspect", "collect", "logs", "events", "shell", "preflight", "helper status", "helper prune". Who has it can run anything as SYSTEM on the nodes. Bind it in the namespace of the helpers only. Making that namespace takes "create" on namespaces; without it, an administrator applies namespace.yaml once.',
    rights: [
      {verbs: ['get'], resources: ['namespaces'], why: 'The Pod Security level of the namespace that it is bound in.'},
      {
        verbs: ['list', 'watch', 'create', 'delete', 'deletecollection'],
        resources: ['pods'],
        why: 'Without "watch" the pods are listed every other second, and without "deletecollection" removed one by one.',
      },
      {
        verbs: ['get', 'create'],
        resources: ['pods/exec'],
        why: 'A WebSocket begins as a GET, so the API server asks for "get"; from Kubernetes 1.35 on it asks for "create" too.',
      },
      {verbs: ['list', 'create', 'delete'], resources: ['configmaps']},
      {verbs: ['list'], resources: ['events'], why: 'Why a helper pod does not start.'},
      {verbs: ['list'], group: 'apps', resources: ['daemonsets'], why: 'The helper that "helper install" keeps.'},
    ],
  },
  repair: {
    scope: 'cluster',
    about:
      'Repair, in addition to the roles look and inspect: "cleanup", "doctor --fix", "annotate-tunnel". Cordons, annotates, drains on request, and restarts the agents\' pods.',
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
          why: '"annotate-tunnel --apply", for plugins that have a setting instead of an annotation: Antrea, and Calico by manifest.',
        }),
      })),
      {verbs: ['create'], resources: ['events'], why: 'A note of what was done, on the node.'},
    ],
  },
  install: {
    scope: 'helper namespace',
    about:
      'Own the DaemonSet of "helper install" and "helper uninstall", in addition to the role inspect. Bind it in the namespace of the helpers only.',
    rights: [
      {verbs: ['create', 'update', 'delete'], group: 'apps', resources: ['daemonsets']},
      {verbs: ['get'], resources: ['configmaps']},
    ],
  },
} as const satisfies Readonly<Record<string, AccessRole>>;

export type RoleName = keyof typeof roles;

/** The name of a role in the cluster. */
export const roleTitle = (name: RoleName) => `kubectl-win-${name}` as const;

/** One thing that a command must be allowed to do. */
export interface AccessNeed {
  /** The role that has it; undefined: none of ours. */
  role?: RoleName;
  verb: string;
  group: string;
  /** With a subresource behind a slash, as in `pods/exec`. */
  resource: string;
  namespace?: string | undefined;
  /** The one object, where a right for it alone is enough. */
  name?: string | undefined;
}

interface Where {
  namespace?: string | undefined;
  name?: string | undefined;
}

/** A need by its words, such as `patch daemonsets.apps`. One that its role does not have is a mistake of ours. */
export function need(role: RoleName, right: string, where: Where = {}): AccessNeed {
  const found = rightOf(right, where, [role]);
  if (!found.role)
    throw new Error(`The role ${roleTitle(role)} has no right to ${right}${where.name ? ` ${where.name}` : ''}.`);
  return found;
}

/** The same for what is known only when it is needed: with the role that has it, where one has. */
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
