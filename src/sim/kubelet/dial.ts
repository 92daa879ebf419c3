import {internalError} from '../api/status.js';
import type {SimNode} from '../node/sim-node.js';

/** Why the API server cannot reach the kubelet of a node. Undefined: it can. */
export function kubeletObstacle({address, faults, cut}: SimNode): string | undefined {
  const dial = `error dialing backend: dial tcp ${address}:10250`;
  if (faults.kubeletDown) return `${dial}: connect: connection refused`;
  return cut ? `${dial}: i/o timeout` : undefined;
}

export function demandKubelet(node: SimNode): void {
  const obstacle = kubeletObstacle(node);
  if (obstacle) throw internalError(obstacle);
}
