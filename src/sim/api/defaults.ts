import {isObject, listAt, textAt} from '../json.js';
import type {ApiObject} from './object.js';
import {qosClassOf} from './qos.js';

const notReadyTaint = {key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule'};
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** The random suffix that Kubernetes appends to generated names. */
export function nameSuffix(length = 5): string {
  return Array.from({length}, () => alphabet[Math.floor(Math.random() * alphabet.length)]).join('');
}

/** Sets the fields that the server sets on create. */
export function withDefaults(object: ApiObject): ApiObject {
  const fill = fillers[object.kind];
  return fill ? fill(object) : object;
}

const fillers: Record<string, (object: ApiObject) => ApiObject> = {
  Pod: object => {
    const spec = isObject(object.spec) ? object.spec : {};
    const serviceAccount = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount') || 'default';
    return {
      ...object,
      spec: {
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        schedulerName: 'default-scheduler',
        priority: 0,
        preemptionPolicy: 'PreemptLowerPriority',
        enableServiceLinks: true,
        securityContext: {},
        ...spec,
        serviceAccountName: serviceAccount,
        serviceAccount,
        containers: listAt(spec, 'containers').map(container => ({
          imagePullPolicy: pullPolicy(textAt(container, 'image')),
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          ...(isObject(container) && container),
        })),
      },
      status: {phase: 'Pending', qosClass: qosClassOf(spec)},
    };
  },
  Namespace: object => ({
    ...object,
    metadata: {
      ...object.metadata,
      labels: {'kubernetes.io/metadata.name': object.metadata.name, ...object.metadata.labels},
    },
    spec: {finalizers: ['kubernetes']},
    status: {phase: 'Active'},
  }),
  DaemonSet: object => ({
    ...object,
    metadata: {...object.metadata, generation: 1},
    spec: {
      revisionHistoryLimit: 10,
      updateStrategy: {type: 'RollingUpdate', rollingUpdate: {maxSurge: 0, maxUnavailable: 1}},
      ...(isObject(object.spec) && object.spec),
    },
    status: {currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0},
  }),
  PodDisruptionBudget: object => ({
    ...object,
    metadata: {...object.metadata, generation: 1},
    status: {currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0},
  }),
  // A new node is not ready until its kubelet reports.
  Node: object => {
    const spec = isObject(object.spec) ? object.spec : {};
    const taints = listAt(spec, 'taints').filter(taint => textAt(taint, 'key') !== notReadyTaint.key);
    return {...object, spec: {...spec, taints: [...taints, notReadyTaint]}};
  },
  Deployment: object => ({
    ...object,
    metadata: {...object.metadata, generation: 1},
    spec: {replicas: 1, ...(isObject(object.spec) && object.spec)},
    status: {},
  }),
};

const pullPolicy = (image: string) => (/:(?!latest$)[^/]+$/.test(image) ? 'IfNotPresent' : 'Always');
