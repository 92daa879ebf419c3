import {parseJson, property} from '../../../lib/json-properties.js';
import {shellText} from '../../../lib/quote.js';
import type {Fleet} from '../../../model/check.js';
import {manual} from '../../../model/remedies.js';
import {type Evidence, fail, skipped, unknown, type Verdict} from '../../../model/verdict.js';
import type {ClusterModel} from '../../../snapshot/cluster.js';
import {overlayFaults, rangeFaults} from '../checks.js';
import {clusterNetConfs, type NetConf} from '../net-conf.js';

type Json = Record<string, unknown>;

/** One setting in net-conf.json that Windows nodes do not support. */
export interface Fault {
  readonly conf: NetConf;
  readonly text: string;
  readonly evidence: Evidence;
}

/** Faults of the given fields in every net-conf.json of the cluster. */
export function faultsIn({cluster}: Fleet, ...fields: string[]): Fault[] {
  return clusterNetConfs(cluster).flatMap(conf => {
    const at = (field: string, seen: unknown, expected: unknown): Evidence => ({
      section: 'cluster',
      object: conf.source,
      field,
      seen: seen ?? null,
      expected,
    });
    const faults = [...(conf.type === 'vxlan' ? overlayFaults(conf, at) : []), ...rangeFaults(conf, cluster, at)];
    return faults
      .filter(({evidence}) => fields.includes(evidence.field ?? ''))
      .map(fault => ({
        conf,
        text: fault.text,
        evidence: {...fault.evidence, field: `net-conf.json ${fault.evidence.field}`},
      }));
  });
}

/** Each fault with the command that corrects it. */
export function verdictsOf(
  fleet: Fleet,
  faults: readonly Fault[],
  change: (json: Json) => Json,
): readonly Verdict[] | Verdict | undefined {
  const missing = netConfMissing(fleet);
  if (missing) return missing;
  return faults.map(({conf, text, evidence}) =>
    fail(`The net-conf.json of ${conf.source} is not valid for Windows nodes: ${text}.`)
      .because(evidence)
      .fixedBy(manual(...patchSteps(conf, fleet.cluster, change))),
  );
}

/**
 * Without a net-conf.json in the cluster there is nothing to diagnose: flanneld is not installed, or is embedded in
 * another program.
 */
export function netConfMissing({cluster}: Fleet): Verdict | undefined {
  const confs = clusterNetConfs(cluster);
  if (confs.some(({readable}) => readable)) return undefined;
  if (confs.length > 0) return unknown(`The net-conf.json of ${confs[0]?.source} is not valid JSON.`);
  const isThere = cluster.all('DaemonSet').some(({metadata}) => /flannel/i.test(metadata.name));
  return isThere
    ? unknown('No ConfigMap with a net-conf.json was read.')
    : skipped('The cluster has no Flannel net-conf.json.');
}

/** The patch of the ConfigMap, and the restart of flanneld that applies it. */
export function patchSteps(conf: NetConf, cluster: ClusterModel, change: (json: Json) => Json): string[] {
  const [, namespace = '', name = ''] = /^ConfigMap ([^/]+)\/(.+)$/.exec(conf.source) ?? [];
  const json = parseJson(cluster.find('ConfigMap', name, namespace)?.data['net-conf.json']);
  const wanted = JSON.stringify(change(isObject(json) ? json : {}));
  return [configMapPatch(namespace, name, 'net-conf.json', wanted), ...restartSteps(cluster)];
}

export function configMapPatch(namespace: string, name: string, key: string, text: string): string {
  const patch = shellText(JSON.stringify({data: {[key]: text}}));
  return `kubectl -n ${shellText(namespace)} patch configmap ${shellText(name)} --type merge -p ${patch}`;
}

function restartSteps(cluster: ClusterModel): string[] {
  return cluster
    .all('DaemonSet')
    .filter(({metadata}) => /flannel/i.test(metadata.name))
    .map(
      ({metadata}) =>
        `kubectl -n ${shellText(metadata.namespace ?? 'kube-flannel')} rollout restart daemonset/${shellText(metadata.name)}`,
    );
}

/** The backend with some keys changed; removes the same keys in another case. */
export function withBackend(json: Json, change: Json): Json {
  const backend = property(json, 'Backend');
  const changed = new Set(Object.keys(change).map(key => key.toLowerCase()));
  const kept = Object.entries(isObject(backend) ? backend : {}).filter(([key]) => !changed.has(key.toLowerCase()));
  const rest = Object.entries(json).filter(([key]) => key.toLowerCase() !== 'backend');
  const wanted = Object.entries(change).filter(([, value]) => value !== undefined);
  return {...Object.fromEntries(rest), Backend: {...Object.fromEntries(kept), ...Object.fromEntries(wanted)}};
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
