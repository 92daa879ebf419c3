import {host} from '../../addresses.js';
import type {JsonObject} from '../../json.js';
import {editRows} from '../../node/edit.js';
import {writeLog} from '../../node/files.js';
import {endProgram, startProgram} from '../../node/programs.js';
import type {NodeState} from '../../node/state.js';
import {file, log} from '../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {klogTime, nodeTime} from '../../time.js';
import {prefixLength} from '../host.js';
import type {Starting} from '../plugin.js';
import {agentLog, subnetFile} from './names.js';

/** The file that flanneld writes for the CNI plugin. */
export function subnetEnvironment(cluster: ClusterPlan, node: NodePlan, mtu: number, written: Date): JsonObject {
  const lines = [
    `FLANNEL_NETWORK=${cluster.podNetwork}`,
    `FLANNEL_SUBNET=${host(node.podCIDR, 1)}/${prefixLength(node.podCIDR)}`,
    `FLANNEL_MTU=${mtu}`,
    'FLANNEL_IPMASQ=false',
    '',
  ];
  return file(subnetFile, written, lines.join('\n'));
}

/** Files that the start script of the pod writes at every start. */
export function writtenAtStart(state: NodeState, at: Date): void {
  const theirs = /\\(10-flannel\.conf|net-conf\.json|flannel\.exe|host-local\.exe|win-(overlay|bridge)\.exe)$/;
  editRows(
    state,
    'files',
    row => row.Exists === true && theirs.test(String(row.Path)),
    () => ({LastWriteTime: nodeTime(at)}),
  );
}

/** Starts flanneld with a new log. */
export function flanneldStarts({cluster, state, now, random}: Starting): (line: string, level?: string) => void {
  startProgram(state, 'flanneld.exe', now, 14, random);
  writtenAtStart(state, now);
  const said: string[] = [];
  return (line, level = 'I') => {
    said.push(`${klogTime(now, level)}    4912 ${line}`);
    writeLog(state, log(agentLog(cluster), said.join('\n').length, now, said));
  };
}

/** flanneld exits; the kubelet's restarts fail too. */
export const flanneldEnds = (state: NodeState): void => endProgram(state, 'flanneld.exe');
