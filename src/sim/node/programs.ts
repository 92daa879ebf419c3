import type {Random} from '../random.js';
import {nodeTime} from '../time.js';
import {addRows, removeRows} from './edit.js';
import {type NodeState, rows} from './state.js';

export const serviceRuns = (state: NodeState, name: string): boolean =>
  rows(state, 'services').some(({Name, State}) => Name === name && State === 'Running');

/** The helper reads only the command line of kube-proxy. */
export const commandLineOf = (program: string | undefined) =>
  program === 'kube-proxy.exe'
    ? {CommandLine: 'C:\\k\\kube-proxy.exe --v=3 --proxy-mode=kernelspace --kubeconfig=C:\\k\\config'}
    : {};

/** Starts a program, replacing a running one of the same name. */
export function startProgram(state: NodeState, name: string, at: Date, threads: number, random: Random): void {
  endProgram(state, name);
  const id = 4 * random.for(name).int(200, 2700);
  const process = {Name: name, ProcessId: id, StartTime: nodeTime(at), ThreadCount: threads};
  addRows(state, 'processes', {...process, ...commandLineOf(name)});
}

export const endProgram = (state: NodeState, name: string): void =>
  removeRows(state, 'processes', row => row.Name === name);
