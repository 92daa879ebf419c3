import type {ApiObject} from '../api/object.js';
import {at} from '../json.js';
import {removeRows} from '../node/edit.js';
import type {SimNode} from '../node/sim-node.js';
import {type NodeState, rows} from '../node/state.js';
import {removeEndpoint} from '../node/switch.js';
import type {PodPlan} from '../plan.js';
import {removePort} from '../plans/ovs-rows.js';
import type {Added} from '../plugins/plugin.js';
import {pluginNamed} from '../plugins/registry.js';
import {planOf, type Surroundings, starting} from './starting.js';

/** Connects pods to the pod network of their node and disconnects them, as a CNI plugin does for the kubelet. */
export class SimulatedPodNetwork {
  readonly #around: Surroundings;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** An address, or why there is none. Undefined: the pod does not need one. */
  connect(node: SimNode, pod: ApiObject): Added | undefined {
    const live = this.#around.lives.get(node.name);
    const plan = planOf(this.#around, node.name);
    const {addPod, network, sandboxFailure} = pluginNamed(node.plugin);
    if (!live || !plan || isOnHost(pod)) return undefined;
    if (!addPod) {
      const isThere = rows(node.state, 'hnsNetworks').some(({Name}) => Name === network);
      return isThere ? undefined : {ready: false, why: sandboxFailure};
    }
    const {name, namespace = ''} = pod.metadata;
    const added = live.change(state => addPod(starting(this.#around, plan, live, state), {name, namespace}));
    if (added.ready) {
      const others = plan.pods.filter(other => other.name !== name || other.namespace !== namespace);
      plan.pods = [...others, {...added.pod, ...this.#belongings(pod)}];
    }
    return added;
  }

  disconnect(node: SimNode, pod: ApiObject): void {
    const plan = planOf(this.#around, node.name);
    const {name, namespace} = pod.metadata;
    const known = plan?.pods.find(other => other.name === name && other.namespace === namespace);
    if (!plan || !known) return;
    plan.pods = plan.pods.filter(other => other !== known);
    this.#around.lives.get(node.name)?.change(state => release(state, known));
  }

  /** The fields that make a pod a backend of a Service. */
  #belongings(pod: ApiObject): Partial<PodPlan> {
    const set = pod.metadata.ownerReferences?.find(({kind}) => kind === 'ReplicaSet')?.name;
    const workload = this.#around.cluster.workloads.find(({replicaSet}) => replicaSet === set);
    if (!workload) return {};
    return {app: workload.name, replicaSet: workload.replicaSet, targetPort: workload.targetPort};
  }
}

const isOnHost = (pod: ApiObject): boolean => at(pod, 'spec', 'hostNetwork') === true;

/** Removes what CNI DEL removes. If the network was removed before, nothing is left. */
function release(state: NodeState, {address}: PodPlan): void {
  const own = rows(state, 'hnsEndpoints').filter(
    ({IPAddress, IsRemoteEndpoint}) => IPAddress === address && IsRemoteEndpoint !== true,
  );
  for (const endpoint of own) {
    removeEndpoint(state, endpoint);
    removePort(state, String(endpoint.Name));
  }
  const isLease = (path: unknown) => /\\lib\\cni\\networks\\[^\\]+$/i.test(String(path).replace(/\\[^\\]+$/, ''));
  removeRows(state, 'files', ({Path}) => isLease(Path) && String(Path).endsWith(`\\${address}`));
}
