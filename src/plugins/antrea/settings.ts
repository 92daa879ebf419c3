import type {DetectionInput} from '../../model/plugin.js';
import type {ClusterModel, Pod} from '../../snapshot/cluster.js';
import {fileAt} from '../../snapshot/cni-conf.js';
import {same} from '../../snapshot/hns.js';
import type {NodeModel} from '../../snapshot/node.js';
import {ofPlugin} from '../../snapshot/plugin-objects.js';

/** Configuration files of an agent that runs as a service (antrea docs/windows.md), in addition to Antrea_Home. */
const serviceConfs = ['C:\\antrea\\conf\\antrea-agent.conf', 'C:\\k\\antrea\\etc\\antrea-agent.conf'];

export function serviceConf(node: NodeModel) {
  const home = node.environment?.find(({name}) => same(name, 'Antrea_Home'))?.value?.replace(/[\\/]+$/, '');
  const paths = [...(home ? [`${home}\\conf\\antrea-agent.conf`] : []), ...serviceConfs];
  return paths.map(path => fileAt(node, path)).find(file => file?.content !== undefined);
}

/** An Antrea object by its name. */
export function ofAntrea<
  Object extends {readonly metadata: {readonly name: string; readonly namespace?: string | undefined}},
>(objects: readonly Object[] | undefined, name: string): Object | undefined {
  return ofPlugin((objects ?? []).filter(({metadata}) => metadata.name === name))[0];
}

/** The agent's configuration on Windows: from its ConfigMap, or from the node if it runs as a service. */
export function agentConf({cluster, node}: Pick<DetectionInput, 'cluster' | 'node'>): string | undefined {
  return clusterConf(cluster) ?? serviceConf(node)?.content;
}

/** The configuration of agents that run in pods. */
export function clusterConf(cluster: ClusterModel | undefined): string | undefined {
  return ofAntrea(cluster?.all('ConfigMap'), 'antrea-windows-config')?.data['antrea-agent.conf'];
}

/** A setting of antrea-agent.conf; undefined if it is commented out or absent, which means its default. */
export function setting(conf: string | undefined, key: string): string | undefined {
  const rest = new RegExp(`^[ \\t]*${key}:(?=\\s|$)(.*)`, 'm').exec(conf ?? '')?.[1];
  const value = rest?.split(' #')[0]?.trim();
  return value?.replace(/^(["'])(.*)\1$/, '$2') || undefined;
}

/** A setting that all nodes of a cluster share: from the Linux configuration if there is none for Windows. */
export function sharedSetting(input: DetectionInput, key: string): string | undefined {
  const linux = ofAntrea(input.cluster?.all('ConfigMap'), 'antrea-config');
  return setting(agentConf(input) ?? linux?.data['antrea-agent.conf'], key);
}

export function agentPods({cluster, node}: Pick<DetectionInput, 'cluster' | 'node'>): Pod[] {
  const pods = (cluster?.podsOn(node.name) ?? []).filter(({metadata}) =>
    metadata.ownerReferences.some(({kind, name}) => kind === 'DaemonSet' && name === 'antrea-agent-windows'),
  );
  return [...ofPlugin(pods)];
}
