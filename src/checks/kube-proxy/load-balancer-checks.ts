import {names} from '../../lib/names.js';
import {powerShellText} from '../../lib/quote.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import {cleanupRemedy, manual} from '../../model/remedies.js';
import {fail, info, unknown, type Verdict} from '../../model/verdict.js';
import {balancerName} from '../../snapshot/balancer-names.js';
import {hasIp} from '../../snapshot/cluster.js';
import type {Endpoint} from '../../snapshot/hns.js';
import {isNamedAsHost} from '../hns/own-endpoints.js';
import {podNetwork} from '../pod-network.js';
import {proxyRuns} from './running-proxy.js';
import {clusterIps, dnsService, endpointAddresses, hasEndpoints, proxiedServices} from './services.js';

/** The state of an active load balancer (networkhealth.ps1). */
const applied = 2;

export const loadBalancerChecks: readonly Check[] = [
  check({
    id: 'kube-proxy/dns-load-balancer',
    title: 'Cluster DNS has a load balancer',
    failure: 'Load balancer of the cluster DNS is missing',
    severity: 'error',
    repair: {level: 'soft', effect: 'none', restarts: 'kube-proxy'},
    plugins: 'kube-proxy',
    needs: ['cluster', 'hnsPolicyLists'],
    settles: true,
    consequenceOf: [
      'hns/network-present',
      'hns/responds',
      'hns/service',
      'kube-proxy/expected',
      'kube-proxy/network-name',
      'kube-proxy/source-vip',
      'kube-proxy/older-than-hns',
      'cni/azure-state',
    ],
    appliesTo: ({plugin}) => plugin.profile.kubeProxy === 'needed',
    run({node, cluster, plugin}) {
      const dns = dnsService(cluster);
      if (!dns) return unknown('The Service of the cluster DNS was not found.');
      if (!hasEndpoints(cluster, dns))
        return info(`Service ${dns.metadata.name} has no endpoints, so kube-proxy creates no load balancer.`);
      const {absentBecause} = plugin.profile.network ?? {};
      if (absentBecause && node.hnsNetworks && !podNetwork(node, plugin.profile.network))
        return info(`No network for load balancers exists, which is expected: ${absentBecause}.`);
      const vips = clusterIps(dns);
      const wanted = dns.spec.ports
        .filter(({port}) => port === 53)
        .map(({protocol}) => (protocol ?? 'TCP').toLowerCase());
      const of = (protocol: string) =>
        node.hnsPolicyLists.filter(
          balancer =>
            balancer.vips.some(vip => vips.includes(vip)) &&
            balancer.ports.some(port => port.protocol === protocol && port.external === 53),
        );
      const missing = wanted.filter(protocol => of(protocol).length === 0);
      const broken = wanted.flatMap(of).filter(({state}) => state !== undefined && state !== applied);
      if (missing.length === 0 && broken.length === 0) return undefined;
      const what =
        missing.length > 0
          ? `has no load balancer for ${missing.map(protocol => protocol.toUpperCase()).join(' and ')} port 53`
          : 'has a load balancer that HNS did not apply';
      return fail(`The cluster DNS (${vips.join(' and ')}) ${what} on this node, so its pods cannot resolve names.`)
        .because(
          ...missing.map(protocol => ({
            section: 'hnsPolicyLists',
            object: `${dns.metadata.namespace}/${dns.metadata.name}:53/${protocol}`,
            seen: null,
            expected: 'a load balancer in state 2',
          })),
          ...broken.map(balancer => ({
            section: 'hnsPolicyLists',
            object: balancerName(cluster, balancer),
            field: 'State',
            seen: balancer.state,
            expected: applied,
          })),
        )
        .fixedBy(cleanupRemedy(node));
    },
    explain: {
      meaning:
        'Pods resolve names through the address of the DNS Service. On Windows, HNS load balancers forward that address to the DNS pods, one for UDP and one for TCP. One is missing or not applied, so pods on this node cannot resolve names.',
      why: 'HNS lost its load balancers in a restart, they were removed, or kube-proxy could not create them. kube-proxy does not notice missing load balancers.',
      see: [
        'Get-HnsPolicyList | Select-Object ID, State -ExpandProperty Policies | Where-Object ExternalPort -eq 53',
        'kubectl -n kube-system get service kube-dns',
      ],
      fix: [
        'Restart kube-proxy: it removes all load balancers and recreates them.',
        'If it fails with HNS errors, restart HNS first: Restart-Service hns -Force',
      ],
      sources: [
        'https://github.com/kubernetes/kubernetes/issues/135802',
        'https://github.com/microsoft/SDN/tree/master/Kubernetes/windows/debug',
      ],
    },
  }),

  check({
    id: 'kube-proxy/dangling-load-balancer',
    title: 'Load balancers and endpoints match',
    failure: 'Load balancers and endpoints do not match',
    severity: 'warning',
    repair: {level: 'soft', effect: 'none', restarts: 'kube-proxy'},
    plugins: 'kube-proxy',
    needs: ['hnsPolicyLists', 'hnsEndpoints'],
    consequenceOf: ['hns/network-present', 'kube-proxy/older-than-hns', 'kube-proxy/dns-load-balancer', 'hns/crash'],
    appliesTo: ({plugin}) => plugin.profile.kubeProxy === 'needed',
    run(subject) {
      const {node} = subject;
      const ids = new Set(node.hnsEndpoints.map(({id}) => id));
      const dangling = node.hnsPolicyLists.filter(({endpointIds}) => endpointIds.some(id => !ids.has(id)));
      const harmful = onLocalPods(subject);
      const unused = unusedEndpoints(subject).filter(endpoint => !harmful.some(({id}) => id === endpoint.id));
      const lacking = lackingServices(subject);
      const remedy = cleanupRemedy(node);
      return [
        ...(dangling.length > 0
          ? [
              fail(
                `${dangling.length} of ${node.hnsPolicyLists.length} load balancers refer to endpoints that do not exist, so part of their traffic is lost.`,
              )
                .because(
                  ...dangling.slice(0, 10).map(balancer => ({
                    section: 'hnsPolicyLists',
                    object: balancerName(subject.cluster, balancer),
                    field: 'References',
                    seen: balancer.endpointIds.filter(endpoint => !ids.has(endpoint)),
                    expected: 'IDs of existing endpoints',
                  })),
                )
                .fixedBy(remedy),
            ]
          : []),
        ...(harmful.length > 0 ? [withPodAddresses(subject, harmful)] : []),
        ...(unused.length > 0
          ? [
              fail(
                `No load balancer uses ${unused.length} remote endpoints (${names(unused.map(({ip}) => ip ?? '?'))}): they are leftovers of kube-proxy.`,
              )
                .because(
                  ...unused.slice(0, 10).map(({id, ip}) => ({
                    section: 'hnsEndpoints',
                    object: id,
                    field: 'IPAddress',
                    seen: ip,
                    expected: 'a load balancer that refers to it',
                  })),
                )
                .fixedBy(remedy),
            ]
          : []),
        ...(lacking.length > 0
          ? [
              fail(`Most Services have no load balancer on this node: ${names(lacking)}.`)
                .because({
                  section: 'hnsPolicyLists',
                  object: 'load balancers',
                  field: 'count',
                  seen: node.hnsPolicyLists.length,
                  expected: 'one per port of each Service',
                })
                .fixedBy(remedy),
            ]
          : []),
      ];
    },
    explain: {
      meaning:
        'A load balancer refers to the endpoints of pods. Some load balancers refer to endpoints that no longer exist, or remote endpoints remain that no load balancer uses. Requests to the former are lost; the latter can occupy the address of a new pod.',
      why: 'kube-proxy creates and should remove both. It misses some when it restarts (it removes all load balancers, but not the remote endpoints), when HNS fails to delete one, or when something else changes HNS.',
      see: [
        '$known = (Get-HnsEndpoint).ID; Get-HnsPolicyList | Where-Object { $_.References | Where-Object { $known -notcontains $_.Split("/")[-1] } }',
        'Get-HnsEndpoint | Where-Object IsRemoteEndpoint | Select-Object ID, IPAddress',
      ],
      fix: [
        'Restart kube-proxy: it removes all load balancers and recreates them.',
        'Remove remote endpoints that are still unused a minute later: Get-HnsEndpoint | Where-Object ID -eq ID | Remove-HnsEndpoint',
      ],
      sources: [
        'https://github.com/kubernetes/kubernetes/issues/112836',
        'https://github.com/kubernetes/kubernetes/issues/113524',
        'https://github.com/kubernetes/kubernetes/issues/110674',
      ],
    },
  }),
];

/** Leftover remote endpoints of kube-proxy: not those of the plugin, and not the source VIP. */
function unusedEndpoints(subject: NodeSubject<'hnsPolicyLists' | 'hnsEndpoints'>) {
  const {node, plugin, cluster} = subject;
  const network = podNetwork(node, plugin.profile.network);
  const used = new Set(node.hnsPolicyLists.flatMap(({endpointIds}) => endpointIds));
  const vips = new Set(node.hnsPolicyLists.map(({sourceVip}) => sourceVip));
  // Current endpoints of a Service are about to be used and are not leftovers.
  const behind = cluster && endpointAddresses(cluster);
  return node.hnsEndpoints.filter(endpoint => {
    const {id, name, remote, ip, networkId} = endpoint;
    return (
      remote &&
      !used.has(id) &&
      !vips.has(ip) &&
      !behind?.has(ip ?? '') &&
      !/_ep$/i.test(name) &&
      !isNamedAsHost(subject, endpoint) &&
      (network === undefined || networkId === undefined || networkId === network.id)
    );
  });
}

/** A running pod of this node with this address, except host network pods. */
function podAt({node, cluster}: NodeSubject, ip: string | undefined) {
  return cluster
    ?.podsOn(node.name)
    .find(pod => pod.spec.hostNetwork !== true && pod.status?.phase === 'Running' && hasIp(pod, ip));
}

/** Remote endpoints with the address of a local pod: left over from a pod on another node with the same address. */
function onLocalPods(subject: NodeSubject<'hnsEndpoints'>): Endpoint[] {
  return subject.node.hnsEndpoints.filter(
    endpoint => endpoint.remote && !isNamedAsHost(subject, endpoint) && podAt(subject, endpoint.ip) !== undefined,
  );
}

function withPodAddresses(subject: NodeSubject, endpoints: readonly Endpoint[]): Verdict {
  const addresses = endpoints.map(({ip}) => {
    const {namespace, name} = podAt(subject, ip)?.metadata ?? {};
    return `${ip} of pod ${namespace}/${name}`;
  });
  return fail(
    `Stale remote endpoints have the addresses of pods on this node (${names(addresses)}): HNS sends their traffic to other nodes.`,
  )
    .as('error')
    .because(
      ...endpoints.slice(0, 10).map(({id, ip}) => ({
        section: 'hnsEndpoints',
        object: id,
        field: 'IsRemoteEndpoint',
        seen: `${ip} (remote)`,
        expected: 'only the local endpoint of the pod',
      })),
    )
    .fixedBy(
      manual(
        ...endpoints
          .slice(0, 10)
          .map(({id}) => `Get-HnsEndpoint | Where-Object ID -eq ${powerShellText(id)} | Remove-HnsEndpoint`),
        'Restart kube-proxy on this node: it recreates its load balancers.',
      ),
    );
}

/** Services without a load balancer, if that is the majority: a few may have none for other reasons. */
function lackingServices(subject: NodeSubject<'hnsPolicyLists'>): string[] {
  const {node, cluster} = subject;
  if (!cluster || !proxyRuns(subject)) return [];
  const balanced = new Set(node.hnsPolicyLists.flatMap(({vips}) => vips));
  const expected = proxiedServices(cluster);
  const lacking = expected.filter(service => !clusterIps(service).some(ip => balanced.has(ip)));
  return lacking.length >= 3 && lacking.length * 2 > expected.length && balanced.size > 0
    ? lacking.map(({metadata}) => `${metadata.namespace}/${metadata.name}`)
    : [];
}
