import {filesIn, removeFile, writeFile} from '../node/files.js';
import type {NodeState} from '../node/state.js';
import {file} from '../node/windows.js';
import type {NodePlan, PodPlan} from '../plan.js';
import {freeOf} from './start.js';

export const leasesOf = (network: string) => `C:\\var\\lib\\cni\\networks\\${network}`;

/** The error that the kubelet gets when every address is leased. */
export const exhausted = (type: string, network: string, subnet: string) =>
  `plugin type="${type}" failed (add): failed to allocate for range 0: no IP addresses available in range set: ${subnet} (${network})`;

/** An address of the node's subnet that is neither leased nor in use. */
export const freeAddress = (state: NodeState, network: string, node: NodePlan, first: number): string | undefined =>
  freeOf(state, node, node.podCIDR, first, filesIn(state, leasesOf(network)).keys());

/** Replaces the lease of the previous sandbox. */
export function lease(state: NodeState, network: string, {address, sandbox, startedAt}: PodPlan): void {
  removeFile(state, `${leasesOf(network)}\\${address}`);
  writeFile(state, leaseFile(network, address, startedAt, sandbox));
}

export const leaseFile = (network: string, address: string, written: Date, sandbox: string) =>
  file(`${leasesOf(network)}\\${address}`, written, `${sandbox}\r\neth0`);
