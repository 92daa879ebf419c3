import {names} from '../../lib/names.js';
import {shellText} from '../../lib/quote.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import {cleanupRemedy, manual} from '../../model/remedies.js';
import {fail, unknown, type Verdict} from '../../model/verdict.js';
import {isIpv4} from '../../snapshot/addresses.js';
import {hasIp, isHostProcess, type Pod, podIps} from '../../snapshot/cluster.js';
import {type Endpoint, same} from '../../snapshot/hns.js';
import type {NodeModel} from '../../snapshot/node.js';
import {podNetwork} from '../pod-network.js';
import {isHostEndpoint} from './own-endpoints.js';

const minutes = 60_000;
const stateNames = ['Uninitialized', 'Created', 'Attached', 'AttachedSharing', 'Detached', 'Degraded', 'Destroyed'];
const created = 1;
const goodStates = [2, 3];

export const endpointChecks: readonly Check[] = [
  check({
    id: 'hns/leaked-endpoints',
    title: 'HNS endpoints belong to existing pods',
    failure: 'HNS endpoints left over from deleted pods',
    severity: 'warning',
    repair: {level: 'medium', effect: 'none', restarts: 'nothing'},
    needs: ['hnsEndpoints', 'hnsNetworks', 'cluster'],
    appliesTo: ({plugin}) => plugin.profile.network !== undefined,
    run(subject) {
      const {node, cluster, now} = subject;
      const pods = cluster.podsOn(node.name);
      const taken = new Set(pods.flatMap(podIps));
      const unclaimed = localEndpoints(subject).filter(
        endpoint =>
          !isHostEndpoint(subject, endpoint) &&
          !isSourceVip(node, endpoint) &&
          endpoint.ip !== undefined &&
          !taken.has(endpoint.ip) &&
          !(endpoint.createdAt !== undefined && now - endpoint.createdAt < 10 * minutes),
      );
      const orphans = withoutThoseOf(pods.filter(hidesItsAddress), unclaimed);
      if (orphans.length === 0) return undefined;
      return fail(
        orphans.length === 1
          ? `HNS endpoint ${orphans[0]?.name} belongs to no pod of this node, but still reserves its address.`
          : `${orphans.length} HNS endpoints belong to no pod of this node, but still reserve their addresses.`,
      )
        .because(
          ...orphans.map(({name, ip, state}) => ({
            section: 'hnsEndpoints',
            object: name,
            field: 'IPAddress',
            seen: state === undefined ? ip : `${ip} (${stateNames[state] ?? state})`,
            expected: 'the address of a pod',
          })),
        )
        .fixedBy(cleanupRemedy(node));
    },
    explain: {
      meaning:
        'Each pod has one HNS endpoint, which is removed with the pod. The pods of these endpoints no longer exist. The endpoints keep their addresses, and a new pod with the same address fails with "already exists".',
      why: 'The pod was deleted while HNS or the plugin did not respond, or the node lost power.',
      see: [
        'Get-HnsEndpoint | Select-Object Name, IPAddress, State, VirtualNetworkName, IsRemoteEndpoint',
        'kubectl get pods -A -o wide --field-selector spec.nodeName=NODE',
      ],
      fix: [
        'Make sure that no pod has the address: kubectl get pods -A -o wide | findstr ADDRESS',
        'Get-HnsEndpoint | Where-Object Name -eq NAME | Remove-HnsEndpoint',
      ],
      sources: [
        'https://github.com/antrea-io/antrea/issues/2301',
        'https://github.com/kubernetes/kubernetes/issues/74766',
        'https://github.com/microsoft/Windows-Containers/issues/631',
      ],
    },
  }),

  check({
    id: 'hns/endpoint-state',
    title: 'HNS endpoints of pods are attached',
    failure: 'HNS endpoint of a pod is not attached',
    severity: 'warning',
    needs: ['hnsEndpoints', 'hnsNetworks'],
    consequenceOf: ['hns/host-endpoint', 'hns/leaked-endpoints'],
    appliesTo: ({plugin}) => plugin.profile.network !== undefined,
    run(subject) {
      const {node, now} = subject;
      const endpoints = localEndpoints(subject).filter(endpoint => !isSourceVip(node, endpoint));
      if (endpoints.length > 0 && endpoints.every(({state}) => state === undefined))
        return unknown('HNS returned the endpoints in its v2 format, which does not contain their state.');
      return [
        ...withoutEndpoint(subject),
        ...endpoints
          .filter(({state}) => state !== undefined && !goodStates.includes(state))
          .filter(({createdAt}) => createdAt === undefined || now - createdAt >= minutes)
          .map(endpoint => unattached(subject, endpoint)),
      ];
    },
    explain: {
      meaning:
        'A working endpoint has State 3 (AttachedSharing, a pod) or 2 (Attached, the host or Docker). This one was created but is not attached, or is detached or degraded, so its pod has no network.',
      why: 'The container exited while its endpoint was being created, HNS restarted, or a driver rejected the port.',
      see: ['Get-HnsEndpoint | Select-Object Name, IPAddress, State, VirtualNetworkName'],
      fix: [
        'Delete the pod; its controller recreates it: kubectl delete pod POD',
        'If the endpoint remains: Get-HnsEndpoint | Where-Object Name -eq NAME | Remove-HnsEndpoint',
      ],
      sources: [
        'https://github.com/microsoft/hcsshim/blob/main/internal/hns/hnsendpoint.go',
        'https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/debug/networkmonitor/networkhealth.ps1',
        'https://github.com/projectcalico/calico/issues/5164',
      ],
    },
  }),
];

/** Endpoints of this node on the pod network, or on a network that no longer exists. */
function localEndpoints({node, plugin}: NodeSubject): Endpoint[] {
  const network = podNetwork(node, plugin.profile.network);
  const known = new Set(node.hnsNetworks?.map(({id}) => id));
  return (node.hnsEndpoints ?? []).filter(
    ({remote, networkId}) => !remote && networkId !== undefined && (networkId === network?.id || !known.has(networkId)),
  );
}

/** kube-proxy creates its source VIP endpoint and never attaches it (kubernetes pkg/proxy/winkernel, newSourceVIP). */
function isSourceVip(node: NodeModel, {name, ip, state, containers}: Endpoint): boolean {
  if (state !== undefined && state !== created) return false;
  if (containers.length > 0) return false;
  return same(name, 'Ethernet') || (node.hnsPolicyLists?.some(({sourceVip}) => sourceVip === ip) ?? false);
}

/** Pods without an address yet, or with the node's: on Windows, host network pods have an endpoint too. */
function hidesItsAddress(pod: Pod): boolean {
  const isOver = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
  if (isOver || isHostProcess(pod.spec)) return false;
  return pod.spec.hostNetwork === true || podIps(pod).length === 0;
}

/** The endpoints that remain after each of these pods is matched with one that is not older than the pod. */
function withoutThoseOf(pods: readonly Pod[], endpoints: readonly Endpoint[]): Endpoint[] {
  const waiting = [...pods];
  return endpoints.filter(({createdAt}) => {
    const owner = waiting.findIndex(
      ({metadata}) => !(createdAt !== undefined && createdAt < (metadata.creationTimestamp ?? 0)),
    );
    if (owner >= 0) waiting.splice(owner, 1);
    return owner < 0;
  });
}

/**
 * Running pods with an address but without an HNS endpoint: they have no network although Kubernetes reports them as
 * Running.
 */
function withoutEndpoint({node, cluster, plugin, now}: NodeSubject): Verdict[] {
  if (!podNetwork(node, plugin.profile.network)) return [];
  const known = new Set(node.hnsEndpoints?.filter(({remote}) => !remote).map(({ip}) => ip));
  const lost = (cluster?.podsOn(node.name) ?? []).filter(pod => {
    const {spec, status, metadata} = pod;
    if (spec.hostNetwork || isHostProcess(spec) || status?.phase !== 'Running') return false;
    if (metadata.deletionTimestamp !== undefined || now - (status.startTime ?? now) < 2 * minutes) return false;
    const ips = podIps(pod).filter(isIpv4);
    return ips.length > 0 && !ips.some(ip => known.has(ip));
  });
  if (lost.length === 0) return [];
  const titles = lost.map(({metadata, status}) => `${metadata.namespace}/${metadata.name} (${status?.podIP})`);
  return [
    fail(`HNS has no endpoint for these running pods, so they have no network: ${names(titles)}.`)
      .as('error')
      .because(
        ...lost.slice(0, 10).map(({metadata, status}) => ({
          section: 'hnsEndpoints',
          object: `Pod ${metadata.namespace}/${metadata.name}`,
          field: 'IPAddress',
          seen: null,
          expected: status?.podIP,
        })),
      )
      .fixedBy(
        manual(
          ...lost
            .slice(0, 10)
            .map(
              ({metadata}) =>
                `kubectl -n ${shellText(metadata.namespace ?? 'default')} delete pod ${shellText(metadata.name)}`,
            ),
        ),
      ),
  ];
}

function unattached({node, cluster}: NodeSubject, {name, ip, state = 0}: Endpoint) {
  const pod = cluster?.podsOn(node.name).find(candidate => hasIp(candidate, ip));
  const owner = pod ? ` of pod ${pod.metadata.namespace}/${pod.metadata.name}` : '';
  return fail(
    `HNS endpoint ${name}${owner} is ${stateNames[state] ?? `in state ${state}`}, not attached: it has no network.`,
  )
    .because({
      section: 'hnsEndpoints',
      object: name,
      field: 'State',
      seen: `${state} (${stateNames[state] ?? 'unknown'})`,
      expected: '3 (AttachedSharing) or 2 (Attached)',
    })
    .fixedBy(
      pod
        ? manual(
            `kubectl -n ${shellText(pod.metadata.namespace ?? 'default')} delete pod ${shellText(pod.metadata.name)}`,
          )
        : cleanupRemedy(node),
    );
}
