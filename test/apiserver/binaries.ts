import {execFileSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {join} from 'node:path';

export interface Binaries {
  etcd: string;
  apiServer: string;
  /** If missing, the simulated controllers are used. */
  controllerManager: string | undefined;
  /** Such as v1.36.4. */
  version: string;
}

/** The control plane programs in the folder `KUBEBUILDER_ASSETS`, or why there are none. */
export function findBinaries(folder = process.env.KUBEBUILDER_ASSETS): Binaries | {missing: string} {
  if (!folder) return {missing: 'KUBEBUILDER_ASSETS is not set'};
  const program = (name: string) => join(folder, name);
  const missing = ['etcd', 'kube-apiserver'].filter(name => !existsSync(program(name)));
  if (missing.length > 0) return {missing: `${folder} has no ${missing.join(' and no ')}`};
  const manager = program('kube-controller-manager');
  return {
    etcd: program('etcd'),
    apiServer: program('kube-apiserver'),
    controllerManager: existsSync(manager) ? manager : undefined,
    version: versionOf(program('kube-apiserver')),
  };
}

function versionOf(program: string): string {
  const said = execFileSync(program, ['--version'], {encoding: 'utf8'});
  const [version] = /v\d+\.\d+\.\d+/.exec(said) ?? [];
  if (!version) throw new Error(`${program} does not tell its version: ${said}`);
  return version;
}
