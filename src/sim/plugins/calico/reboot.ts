import {removeRows} from '../../node/edit.js';
import {removeFile, writeFile, writeLog} from '../../node/files.js';
import {endProgram} from '../../node/programs.js';
import type {NodeState} from '../../node/state.js';
import {log, noFile} from '../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {after, before, second} from '../../time.js';
import {felixLog, hostEndpointName, networkName, nodeLog, nodeNameFile, proxyLog} from './names.js';

/**
 * After a boot Calico asks HNS once to remove the networks from before, then waits until they are gone. HNS was not up
 * to it yet, so the wait does not end, and felix and kube-proxy wait for Calico (calico node-service.ps1).
 */
export function calicoAfterReboot(_: ClusterPlan, __: NodePlan, state: NodeState): void {
  removeRows(state, 'hnsEndpoints', endpoint => endpoint.Name === hostEndpointName);
  for (const program of ['calico-node.exe', 'calico.exe', 'kube-proxy.exe']) endProgram(state, program);
  // Removed by the pod's init container, written by the set-up.
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
