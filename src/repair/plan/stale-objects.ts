import {parseJson, property, textProperty} from '../../lib/json-properties.js';
import type {NodeRepair} from '../../model/plugin-cleanup.js';
import type {PlanStep} from '../../model/step.js';
import {contains, isIpv4} from '../../snapshot/addresses.js';
import {hasIp} from '../../snapshot/cluster.js';
import {fileNamed} from '../../snapshot/cni-conf.js';
import type {Network} from '../../snapshot/hns.js';
import {folderOf, nameOf} from '../../snapshot/paths.js';
import type {FileEntry} from '../../snapshot/sections.js';
import {leakedEndpoints} from '../node/endpoint-owners.js';
import {removeEndpoint, removeFile, removePolicyLists} from '../steps/make.js';
import {kubeProxyHandle} from './restart.js';

const minutes = 60_000;
/** A lease is written before its endpoint is created, so a recent lease is not stale. */
const young = 10 * minutes;

/** Endpoints that outlived their pods. `gone`: networks that the plan removes together with their endpoints. */
export function staleEndpoints({subject}: NodeRepair, gone: readonly Network[] = []): PlanStep[] {
  const goingAnyway = new Set(gone.map(({id}) => id));
  return leakedEndpoints(subject)
    .filter(({networkId}) => !goingAnyway.has(networkId ?? ''))
    .map(endpoint => removeEndpoint(endpoint, `Endpoint ${endpoint.name} belongs to no pod of this node.`));
}

/**
 * Load balancers whose endpoints do not exist. Removed only if kube-proxy is restarted afterwards: it would not
 * recreate them otherwise.
 */
export function stalePolicyLists({subject, restart}: NodeRepair): PlanStep[] {
  const {hnsPolicyLists = [], hnsEndpoints} = subject.node;
  if (!hnsEndpoints || !restart.kubeProxy || !kubeProxyHandle(subject)) return [];
  const known = new Set(hnsEndpoints.map(({id}) => id));
  const dangling = hnsPolicyLists.filter(({endpointIds}) => endpointIds.some(id => !known.has(id)));
  if (dangling.length === 0) return [];
  return [
    removePolicyLists(
      dangling.map(({id}) => id),
      'Their endpoints do not exist.',
    ),
  ];
}

/** Addresses that host-local has reserved for removed containers. */
export function staleLeases(job: NodeRepair): PlanStep[] {
  const {node} = job.subject;
  if (!node.hnsEndpoints) return [];
  return (node.files ?? [])
    .filter(file => isStaleLease(job, file))
    .map(({path}) => removeFile(path, `No container uses ${nameOf(path)}.`));
}

function isStaleLease({subject}: NodeRepair, {path, exists, content, writtenAt}: FileEntry): boolean {
  const {node, cluster, now} = subject;
  const ip = nameOf(path);
  if (!exists || !isIpv4(ip) || !/\\lib\\cni\\networks\\[^\\]+$/.test(folderOf(path))) return false;
  const container = content?.split(/\r?\n/)[0]?.trim() ?? '';
  // Start scripts reserve the source VIP of kube-proxy under the name `dummy`.
  if (container === '' || /^dummy/i.test(container)) return false;
  if (writtenAt === undefined || now - writtenAt < young) return false;
  if (!cluster?.lists.known || cluster.podsOn(node.name).some(pod => hasIp(pod, ip))) return false;
  return !node.hnsEndpoints?.some(
    endpoint =>
      !endpoint.remote &&
      (endpoint.ip === ip || endpoint.containers.includes(container) || endpoint.name.startsWith(container)),
  );
}

/** The stored source VIP of kube-proxy, which start scripts keep even after the node's subnet has changed. */
export function staleSourceVip({subject, failed, network}: NodeRepair): PlanStep[] {
  const file = fileNamed(subject.node, 'sourceVip.json');
  const isBad = failed('kube-proxy/source-vip');
  if (!file || (file.content === undefined && !isBad)) return [];
  const ip = sourceVipIn(file.content);
  const subnets = network?.subnets.map(({prefix}) => prefix) ?? [];
  const {podSubnet} = subject.plugin.profile;
  const inside = subnets.length > 0 ? subnets : podSubnet === undefined ? [] : [podSubnet];
  const isOutside = inside.length > 0 && !inside.some(prefix => contains(prefix, ip));
  if (!isOutside && ip !== undefined && !isBad) return [];
  return [
    removeFile(file.path, `Its source VIP ${ip ?? '(none)'} does not match the network; kube-proxy reserves another.`),
  ];
}

/** CNI results since version 0.3 have a list of addresses, those of 0.2 one address per family. */
function sourceVipIn(content: string | undefined): string | undefined {
  const json = parseJson(content);
  const [first] = Array.isArray(property(json, 'ips')) ? (property(json, 'ips') as unknown[]) : [];
  return (textProperty(first, 'address') ?? textProperty(property(json, 'ip4'), 'ip'))?.split('/')[0];
}
