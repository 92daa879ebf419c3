import {removeRows} from '../../node/edit.js';
import {removeFile, writeFile, writeLog} from '../../node/files.js';
import {endProgram} from '../../node/programs.js';
import type {NodeState} from '../../node/state.js';
import {log, noFile} from '../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {after, before, second} from '../../time.js';
import {felixLog, hostEndpointName, networkName, nodeLog, nodeNameFile, proxyLog} from './names.js';

/**
 * After a reboot Calico asks HNS once to remove the old networks, then waits until they are gone. HNS was not ready yet,
 * so the wait never ends, and Felix and kube-proxy wait for Calico (calico node-service.ps1).
 */
export function calicoAfterReboot(_: ClusterPlan, __: NodePlan, state: NodeState): void {
  removeRows(state, 'hnsEndpoints', endpoint => endpoint.Name === hostEndpointName);
  for (const program of ['calico-node.exe', 'calico.exe', 'kube-proxy.exe']) endProgram(state, program);
  // The init container removes it, and the node setup writes it.
  removeFile(state, nodeNameFile);
  writeFile(state, noFile(nodeNameFile));
  const recent = before(new Date(), 2 * second);
  const deletion = 'Waiting for network deletion to complete.';
  const initialised = 'Waiting for Calico initialisation to finish...';
  const network = `Waiting for Network [${networkName}] to be created . . .`;
  writeLog(
    state,
    log(nodeLog, 88_412, recent, [
      'First time Calico has run since boot up, cleaning out any old network state.',
      deletion,
      deletion,
    ]),
  );
  writeLog(state, log(felixLog, 91_330, recent, [initialised, initialised]));
  writeLog(state, log(proxyLog, 52_004, after(recent, second), [network, network]));
}
