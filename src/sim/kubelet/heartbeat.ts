import {timestamp} from '../api/object.js';
import {nodeType} from '../api/resource-types.js';
import type {Store} from '../api/store.js';
import {isObject, listAt, textAt} from '../json.js';

const unreachable = 'node.kubernetes.io/unreachable';
const silent = {status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.'};

const well: Record<string, {status: string; reason: string; message: string}> = {
  MemoryPressure: {
    status: 'False',
    reason: 'KubeletHasSufficientMemory',
    message: 'kubelet has sufficient memory available',
  },
  DiskPressure: {status: 'False', reason: 'KubeletHasNoDiskPressure', message: 'kubelet has no disk pressure'},
  PIDPressure: {status: 'False', reason: 'KubeletHasSufficientPID', message: 'kubelet has sufficient PID available'},
  Ready: {status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status'},
};

/** What the cluster shows of a node whose kubelet fell silent, or is heard again. */
export function reportKubelet(store: Store, name: string, up: boolean): void {
  const node = store.get(nodeType, undefined, name);
  const lastTransitionTime = timestamp();
  const conditions = listAt(node, 'status', 'conditions').map(condition => ({
    ...(isObject(condition) && condition),
    ...(up ? well[textAt(condition, 'type')] : silent),
    ...(up && {lastHeartbeatTime: lastTransitionTime}),
    lastTransitionTime,
  }));
  const taints = listAt(node, 'spec', 'taints').filter(taint => textAt(taint, 'key') !== unreachable);
  if (!up) {
    for (const effect of ['NoSchedule', 'NoExecute'])
      taints.push({key: unreachable, effect, timeAdded: lastTransitionTime});
  }
  const {taints: _, ...spec} = isObject(node.spec) ? node.spec : {};
  store.update(nodeType, {
    ...node,
    spec: {...spec, ...(taints.length > 0 && {taints})},
    status: {...(isObject(node.status) && node.status), conditions},
  });
}
