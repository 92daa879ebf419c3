/** A kind that the API serves, and its path. */
export interface ResourceType {
  group: string;
  version: string;
  kind: string;
  plural: string;
  singular: string;
  namespaced: boolean;
  shortNames?: readonly string[];
  categories?: readonly string[];
  subresources?: readonly string[];
  /** A request that is answered but not stored, such as an access review. */
  review?: boolean;
  /** Set for kinds that a plugin adds. */
  custom?: boolean;
}

type Extra = Pick<ResourceType, 'shortNames' | 'categories' | 'subresources' | 'review'>;

function type(apiVersion: string, kind: string, plural: string, scope: 'Namespaced' | 'Cluster', extra: Extra = {}) {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return {
    group: group ?? '',
    version: version ?? '',
    kind,
    plural,
    singular: kind.toLowerCase(),
    namespaced: scope === 'Namespaced',
    ...extra,
  } satisfies ResourceType;
}

const rbac = 'rbac.authorization.k8s.io/v1';
const all = ['all'];

export const podType: ResourceType = type('v1', 'Pod', 'pods', 'Namespaced', {
  shortNames: ['po'],
  categories: all,
  subresources: ['status', 'log', 'exec', 'eviction'],
});
export const nodeType: ResourceType = type('v1', 'Node', 'nodes', 'Cluster', {
  shortNames: ['no'],
  subresources: ['status', 'proxy'],
});
export const namespaceType: ResourceType = type('v1', 'Namespace', 'namespaces', 'Cluster', {
  shortNames: ['ns'],
  subresources: ['status', 'finalize'],
});
export const configMapType: ResourceType = type('v1', 'ConfigMap', 'configmaps', 'Namespaced', {shortNames: ['cm']});
export const eventType: ResourceType = type('v1', 'Event', 'events', 'Namespaced', {shortNames: ['ev']});
export const serviceAccountType: ResourceType = type('v1', 'ServiceAccount', 'serviceaccounts', 'Namespaced', {
  shortNames: ['sa'],
});
export const resourceQuotaType: ResourceType = type('v1', 'ResourceQuota', 'resourcequotas', 'Namespaced', {
  shortNames: ['quota'],
  subresources: ['status'],
});
export const limitRangeType: ResourceType = type('v1', 'LimitRange', 'limitranges', 'Namespaced', {
  shortNames: ['limits'],
});
export const serviceType: ResourceType = type('v1', 'Service', 'services', 'Namespaced', {
  shortNames: ['svc'],
  categories: all,
  subresources: ['status'],
});
export const endpointSliceType: ResourceType = type(
  'discovery.k8s.io/v1',
  'EndpointSlice',
  'endpointslices',
  'Namespaced',
);
export const daemonSetType: ResourceType = type('apps/v1', 'DaemonSet', 'daemonsets', 'Namespaced', {
  shortNames: ['ds'],
  categories: all,
  subresources: ['status'],
});
export const deploymentType: ResourceType = type('apps/v1', 'Deployment', 'deployments', 'Namespaced', {
  shortNames: ['deploy'],
  categories: all,
  subresources: ['status'],
});
export const replicaSetType: ResourceType = type('apps/v1', 'ReplicaSet', 'replicasets', 'Namespaced', {
  shortNames: ['rs'],
  categories: all,
  subresources: ['status'],
});

const admission = 'admissionregistration.k8s.io/v1';
export const disruptionBudgetType: ResourceType = type(
  'policy/v1',
  'PodDisruptionBudget',
  'poddisruptionbudgets',
  'Namespaced',
  {shortNames: ['pdb'], subresources: ['status']},
);
export const policyType: ResourceType = type(
  admission,
  'ValidatingAdmissionPolicy',
  'validatingadmissionpolicies',
  'Cluster',
  {subresources: ['status']},
);
export const policyBindingType: ResourceType = type(
  admission,
  'ValidatingAdmissionPolicyBinding',
  'validatingadmissionpolicybindings',
  'Cluster',
);

export const builtInTypes: readonly ResourceType[] = [
  configMapType,
  eventType,
  namespaceType,
  nodeType,
  podType,
  type('v1', 'Secret', 'secrets', 'Namespaced'),
  serviceAccountType,
  serviceType,
  daemonSetType,
  deploymentType,
  replicaSetType,
  endpointSliceType,
  resourceQuotaType,
  limitRangeType,
  disruptionBudgetType,
  policyType,
  policyBindingType,
  type('coordination.k8s.io/v1', 'Lease', 'leases', 'Namespaced'),
  type(rbac, 'ClusterRole', 'clusterroles', 'Cluster'),
  type(rbac, 'ClusterRoleBinding', 'clusterrolebindings', 'Cluster'),
  type(rbac, 'Role', 'roles', 'Namespaced'),
  type(rbac, 'RoleBinding', 'rolebindings', 'Namespaced'),
  type('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'customresourcedefinitions', 'Cluster', {
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
  }),
  type('authorization.k8s.io/v1', 'SelfSubjectAccessReview', 'selfsubjectaccessreviews', 'Cluster', {review: true}),
  type('authorization.k8s.io/v1', 'SelfSubjectRulesReview', 'selfsubjectrulesreviews', 'Cluster', {review: true}),
  type('authentication.k8s.io/v1', 'SelfSubjectReview', 'selfsubjectreviews', 'Cluster', {review: true}),
];

export const apiVersionOf = ({group, version}: Pick<ResourceType, 'group' | 'version'>) =>
  group ? `${group}/${version}` : version;
