import {at, listAt, mapAt, numberAt, textAt} from '../json.js';
import {age} from './age.js';
import type {ApiObject} from './object.js';
import {nodeStatus, podStatusText, readyContainers, restarts} from './pod-status.js';

export interface Column {
  name: string;
  type: 'string' | 'integer' | 'date';
  /** Above 0: shown only with `-o wide`. */
  priority: number;
  cell(object: ApiObject): string | number;
}

function column(name: string, cell: Column['cell'], priority = 0, type: Column['type'] = 'string'): Column {
  return {name, type, priority, cell};
}

const wide = (name: string, cell: Column['cell']) => column(name, cell, 1);
const name = column('Name', object => object.metadata.name);
const ageColumn = column('Age', object => age(object.metadata.creationTimestamp));
const created = column('Created At', object => object.metadata.creationTimestamp ?? '');
const number = (title: string, ...path: string[]) => column(title, object => numberAt(object, ...path), 0, 'integer');

const addressOf = (object: ApiObject, type: string) => {
  const found = listAt(object, 'status', 'addresses').find(address => textAt(address, 'type') === type);
  return textAt(found, 'address') || '<none>';
};

const roles = (object: ApiObject) => {
  const prefix = 'node-role.kubernetes.io/';
  const found = Object.keys(mapAt(object, 'metadata', 'labels')).filter(label => label.startsWith(prefix));
  return found.map(label => label.slice(prefix.length)).join(',') || '<none>';
};

const selector = (labels: Record<string, string>) =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',') || '<none>';

const containers = (object: ApiObject) => listAt(object, 'spec', 'template', 'spec', 'containers');
const workload = [
  wide('Containers', object =>
    containers(object)
      .map(container => textAt(container, 'name'))
      .join(','),
  ),
  wide('Images', object =>
    containers(object)
      .map(container => textAt(container, 'image'))
      .join(','),
  ),
  wide('Selector', object => selector(mapAt(object, 'spec', 'selector', 'matchLabels'))),
];

const servicePorts = (object: ApiObject) =>
  listAt(object, 'spec', 'ports')
    .map(port => {
      const nodePort = numberAt(port, 'nodePort');
      return `${numberAt(port, 'port')}${nodePort ? `:${nodePort}` : ''}/${textAt(port, 'protocol') || 'TCP'}`;
    })
    .join(',');

const involved = (object: ApiObject) =>
  `${textAt(object, 'involvedObject', 'kind').toLowerCase()}/${textAt(object, 'involvedObject', 'name')}`;

const lastSeen = (object: ApiObject) =>
  age(textAt(object, 'lastTimestamp') || textAt(object, 'eventTime') || object.metadata.creationTimestamp);

/** The columns that the real server prints for a kind. */
const columnsByKind: Record<string, readonly Column[]> = {
  Node: [
    name,
    column('Status', nodeStatus),
    column('Roles', roles),
    ageColumn,
    column('Version', object => textAt(object, 'status', 'nodeInfo', 'kubeletVersion')),
    wide('Internal-IP', object => addressOf(object, 'InternalIP')),
    wide('External-IP', object => addressOf(object, 'ExternalIP')),
    wide('OS-Image', object => textAt(object, 'status', 'nodeInfo', 'osImage')),
    wide('Kernel-Version', object => textAt(object, 'status', 'nodeInfo', 'kernelVersion')),
    wide('Container-Runtime', object => textAt(object, 'status', 'nodeInfo', 'containerRuntimeVersion')),
  ],
  Pod: [
    name,
    column('Ready', readyContainers),
    column('Status', podStatusText),
    column('Restarts', restarts),
    ageColumn,
    wide('IP', object => textAt(object, 'status', 'podIP') || '<none>'),
    wide('Node', object => textAt(object, 'spec', 'nodeName') || '<none>'),
    wide('Nominated Node', object => textAt(object, 'status', 'nominatedNodeName') || '<none>'),
    wide('Readiness Gates', () => '<none>'),
  ],
  Namespace: [name, column('Status', object => textAt(object, 'status', 'phase')), ageColumn],
  ConfigMap: [
    name,
    column('Data', object => Object.keys({...mapAt(object, 'data'), ...mapAt(object, 'binaryData')}).length),
    ageColumn,
  ],
  Secret: [
    name,
    column('Type', object => textAt(object, 'type')),
    column('Data', object => Object.keys(mapAt(object, 'data')).length),
    ageColumn,
  ],
  ServiceAccount: [name, column('Secrets', object => listAt(object, 'secrets').length), ageColumn],
  Event: [
    column('Last Seen', lastSeen),
    column('Type', object => textAt(object, 'type')),
    column('Reason', object => textAt(object, 'reason')),
    column('Object', involved),
    wide('Subobject', object => textAt(object, 'involvedObject', 'fieldPath')),
    wide('Source', object =>
      [textAt(object, 'source', 'component'), textAt(object, 'source', 'host')].filter(Boolean).join(', '),
    ),
    column('Message', object => textAt(object, 'message').trim()),
    wide('First Seen', object => age(textAt(object, 'firstTimestamp') || object.metadata.creationTimestamp)),
    wide('Count', object => numberAt(object, 'count') || 1),
    wide('Name', object => object.metadata.name),
  ],
  DaemonSet: [
    name,
    number('Desired', 'status', 'desiredNumberScheduled'),
    number('Current', 'status', 'currentNumberScheduled'),
    number('Ready', 'status', 'numberReady'),
    number('Up-to-date', 'status', 'updatedNumberScheduled'),
    number('Available', 'status', 'numberAvailable'),
    column('Node Selector', object => selector(mapAt(object, 'spec', 'template', 'spec', 'nodeSelector'))),
    ageColumn,
    ...workload,
  ],
  Deployment: [
    name,
    column('Ready', object => `${numberAt(object, 'status', 'readyReplicas')}/${numberAt(object, 'spec', 'replicas')}`),
    number('Up-to-date', 'status', 'updatedReplicas'),
    number('Available', 'status', 'availableReplicas'),
    ageColumn,
    ...workload,
  ],
  ReplicaSet: [
    name,
    number('Desired', 'spec', 'replicas'),
    number('Current', 'status', 'replicas'),
    number('Ready', 'status', 'readyReplicas'),
    ageColumn,
    ...workload,
  ],
  Service: [
    name,
    column('Type', object => textAt(object, 'spec', 'type')),
    column('Cluster-IP', object => textAt(object, 'spec', 'clusterIP') || '<none>'),
    column('External-IP', () => '<none>'),
    column('Port(s)', servicePorts),
    ageColumn,
    wide('Selector', object => selector(mapAt(object, 'spec', 'selector'))),
  ],
  EndpointSlice: [
    name,
    column('AddressType', object => textAt(object, 'addressType')),
    column(
      'Ports',
      object =>
        listAt(object, 'ports')
          .map(port => numberAt(port, 'port'))
          .join(',') || '<unset>',
    ),
    column(
      'Endpoints',
      object =>
        listAt(object, 'endpoints')
          .flatMap(endpoint => listAt(endpoint, 'addresses'))
          .join(',') || '<unset>',
    ),
    ageColumn,
  ],
  PodDisruptionBudget: [
    name,
    column('Min Available', object => String(at(object, 'spec', 'minAvailable') ?? 'N/A')),
    column('Max Unavailable', object => String(at(object, 'spec', 'maxUnavailable') ?? 'N/A')),
    number('Allowed Disruptions', 'status', 'disruptionsAllowed'),
    ageColumn,
  ],
  Lease: [name, column('Holder', object => textAt(object, 'spec', 'holderIdentity')), ageColumn],
  CustomResourceDefinition: [name, created],
  ClusterRole: [name, created],
  Role: [name, created],
  ClusterRoleBinding: [name, column('Role', roleRef), ageColumn],
  RoleBinding: [name, column('Role', roleRef), ageColumn],
};

function roleRef(object: ApiObject): string {
  const ref = at(object, 'roleRef');
  return `${textAt(ref, 'kind')}/${textAt(ref, 'name')}`;
}

export const columnsOf = (kind: string): readonly Column[] => columnsByKind[kind] ?? [name, ageColumn];
