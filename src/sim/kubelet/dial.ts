import {internalError} from '../api/status.js';
import type {SimNode} from '../node/sim-node.js';

/** The API server reaches pods by way of the kubelet. */
export function demandKubelet({address, faults, cut}: SimNode): void {
  const dial = `error dialing backend: dial tcp ${address}:10250`;
  if (faults.kubeletDown) throw internalError(`${dial}: connect: connection refused`);
  if (cut) throw internalError(`${dial}: i/o timeout`);
}
