import {parseJson, property, textProperty} from '../../lib/json-properties.js';
import type {ClusterModel} from '../../snapshot/cluster.js';
import type {NodeModel} from '../../snapshot/node.js';
import {ofPlugin} from '../../snapshot/plugin-objects.js';

/** The configuration of flanneld: a key of a ConfigMap, or a file on the node. */
export interface NetConf {
  /** Where it is: `ConfigMap kube-flannel/kube-flannel-cfg`, or a path. */
  readonly source: string;
  /** Whether only Windows nodes read it. */
  readonly forWindows: boolean;
  /** Whether it is valid JSON. */
  readonly readable: boolean;
  readonly network: string | undefined;
  readonly type: string | undefined;
  /** As it is written; absent: 1 on Linux, 4096 on Windows. */
  readonly vni: number | undefined;
  /** As it is written; absent: 8472 on Linux, 4789 on Windows. */
  readonly port: number | undefined;
  /** The name of the HNS network; default `flannel.<VNI>`. */
  readonly name: string | undefined;
  readonly directRouting: boolean;
  readonly gbp: boolean;
}

/** The ConfigMaps with a net-conf.json: one for all nodes, and sometimes one only for Windows. */
export function clusterNetConfs(cluster: ClusterModel | undefined): NetConf[] {
  const named = (cluster?.all('ConfigMap') ?? []).filter(
    ({metadata, data}) => /flannel/i.test(metadata.name) && data['net-conf.json'] !== undefined,
  );
  return ofPlugin(named).map(({metadata, data}) =>
    read(
      `ConfigMap ${metadata.namespace}/${metadata.name}`,
      data['net-conf.json'] ?? '',
      /windows/i.test(metadata.name),
    ),
  );
}

/** The file that flanneld on this node reads. */
export function nodeNetConf(node: NodeModel): NetConf | undefined {
  const file = node.files?.find(
    ({path, exists, content}) => exists && content !== undefined && /[\\/](flanneld-)?net-conf\.json$/i.test(path),
  );
  return file && read(file.path, file.content ?? '', true);
}

function read(source: string, text: string, forWindows: boolean): NetConf {
  const json = parseJson(text);
  const backend = property(json, 'Backend');
  return {
    source,
    forWindows,
    readable: typeof json === 'object' && json !== null,
    network: textProperty(json, 'Network'),
    type: textProperty(backend, 'Type')?.toLowerCase(),
    vni: asNumber(property(backend, 'VNI')),
    port: asNumber(property(backend, 'Port')),
    name: textProperty(backend, 'Name'),
    directRouting: property(backend, 'DirectRouting') === true,
    gbp: property(backend, 'GBP') === true,
  };
}

function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
