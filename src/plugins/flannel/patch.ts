import {parseJson, property} from '../../lib/json-properties.js';
import {shellText} from '../../lib/quote.js';
import type {ClusterModel} from '../../snapshot/cluster.js';
import type {NetConf} from './net-conf.js';

/**
 * The command that changes the overlay settings of a ConfigMap to values that Windows supports; undefined if they are
 * correct, or if it is not a ConfigMap.
 */
export function netConfPatch(conf: NetConf, cluster: ClusterModel): string | undefined {
  if (conf.type !== 'vxlan' || (conf.vni === 4096 && conf.port === 4789 && !conf.directRouting && !conf.gbp))
    return undefined;
  const [, namespace = '', name = ''] = /^ConfigMap ([^/]+)\/(.+)$/.exec(conf.source) ?? [];
  const text = cluster.find('ConfigMap', name, namespace)?.data['net-conf.json'];
  const json = parseJson(text);
  if (typeof json !== 'object' || json === null) return undefined;
  const {
    VNI: _vni,
    Port: _port,
    DirectRouting: _routing,
    GBP: _gbp,
    ...rest
  } = withCanonicalKeys(property(json, 'Backend'));
  const wanted = {...json, Backend: {...rest, VNI: Math.max(4096, conf.vni ?? 4096), Port: 4789}};
  const patch = JSON.stringify({data: {'net-conf.json': JSON.stringify(wanted)}});
  return `kubectl -n ${shellText(namespace)} patch configmap ${shellText(name)} --type merge -p ${shellText(patch)}`;
}

/** Go parses keys case-insensitively: keys to be changed get their documented case, so that no key appears twice. */
function withCanonicalKeys(backend: unknown): Record<string, unknown> {
  if (typeof backend !== 'object' || backend === null) return {};
  const canonical = new Map(['VNI', 'Port', 'DirectRouting', 'GBP'].map(key => [key.toLowerCase(), key]));
  return Object.fromEntries(
    Object.entries(backend).map(([key, value]) => [canonical.get(key.toLowerCase()) ?? key, value]),
  );
}
