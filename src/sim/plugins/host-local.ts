import {host, parseSubnet} from '../addresses.js';
import {filesIn, removeFile, writeFile} from '../node/files.js';
import {type NodeState, rows} from '../node/state.js';
import {file} from '../node/windows.js';
import type {NodePlan, PodPlan} from '../plan.js';

export const leasesOf = (network: string) => `C:\\var\\lib\\cni\\networks\\${network}`;

/** What the kubelet hears when every address is leased. */
export const exhausted = (type: string, network: string, subnet: string) =>
  `plugin type="${type}" failed (add): failed to allocate for range 0: no IP addresses available in range set: ${subnet} (${network})`;

/** An address of the node's subnet that neither a lease, an endpoint nor a pod of the node has. */
export function freeAddress(
  state: NodeState,
  network: string,
  {podCIDR, pods}: NodePlan,
  first: number,
): string | undefined {
  const used = new Set([
    ...pods.map(pod => pod.address),
    ...filesIn(state, leasesOf(network)).keys(),
    ...rows(state, 'hnsEndpoints').map(endpoint => String(endpoint.IPAddress)),
  ]);
  const last = 2 ** (32 - parseSubnet(podCIDR).prefix) - 2;
  for (let number = first; number <= last; number += 1) {
    const address = host(podCIDR, number);
    if (!used.has(address)) return address;
  }
  return undefined;
}

/** The lease of a sandbox that died goes when the kubelet removes it, and the new one has its own. */
export function lease(state: NodeState, network: string, {address, sandbox, startedAt}: PodPlan): void {
  removeFile(state, `${leasesOf(network)}\\${address}`);
  writeFile(state, leaseFile(network, address, startedAt, sandbox));
}

export const leaseFile = (network: string, address: string, written: Date, sandbox: string) =>
  file(`${leasesOf(network)}\\${address}`, written, `${sandbox}\r\neth0`);
