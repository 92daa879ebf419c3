import {internalError} from '../api/status.js';
import type {SimNode} from '../node/sim-node.js';

/** The API server reaches pods by way of the kubelet. Why it cannot, or undefined where it can. */
export function kubeletObstacle({address, faults, cut}: SimNode): string | undefined {
  const dial = `error dialing backend: dial tcp ${address}:10250`;
  if (faults.kubeletDown) return `${dial}: connect: connection refused`;
  return cut ? `${dial}: i/o timeout` : undefined;
}

export function demandKubelet(node: SimNode): void {
  const obstacle = kubeletObstacle(node);
  if (obstacle) throw internalError(obstacle);
}
