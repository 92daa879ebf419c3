import {names} from '../../lib/names.js';
import {powerShellText} from '../../lib/quote.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import {cleanup, manual} from '../../model/remedies.js';
import {fail, info, unknown, type Verdict} from '../../model/verdict.js';
import {podIps} from '../../snapshot/cluster.js';
import type {Endpoint} from '../../snapshot/hns.js';
import {isNamedAsHost} from '../hns/own-endpoints.js';
import {podNetwork} from '../networks.js';
import {proxyRuns} from './proxy.js';
import {clusterIps, dnsService, hasEndpoints, isProxied} from './services.js';

/** The good state of a load balancer (networkhealth.ps1). */
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
        return info(`Service ${dns.metadata.name} has no pods behind it, so kube-proxy makes no load balancer.`);
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
      return fail(`The cluster's DNS, ${vips.join(' and ')}, ${what} on this node, so pods here cannot resolve names.`)
        .because(
          ...missing.map(protocol => ({
            section: 'hnsPolicyLists',
            object: `${vips[0]}:53/${protocol}`,
            seen: null,
            expected: 'a load balancer in state 2',
          })),
          ...broken.map(({id, state}) => ({
            section: 'hnsPolicyLists',
            object: id,
            field: 'State',
            seen: state,
            expected: applied,
          })),
        )
        .fixedBy(cleanup(node));
    },
    explain: {
      meaning:
        'Pods ask the cluster for names at one address, that of the DNS Service. On Windows a load balancer in HNS leads from there to the DNS pods, one for UDP and one for TCP. It is missing or not applied, so nothing in these pods can find anything by name.',
      why: 'HNS lost its load balancers in a restart, someone removed them, or kube-proxy could not make them. kube-proxy does not notice load balancers that vanish.',
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
      const remedy = cleanup(node);
      return [
        ...(dangling.length > 0
          ? [
              fail(
                `${dangling.length} of ${node.hnsPolicyLists.length} load balancers send to endpoints that HNS does not have, so part of their traffic is lost.`,
              )
                .because(
                  ...dangling.slice(0, 10).map(({id, vips, endpointIds}) => ({
                    section: 'hnsPolicyLists',
                    object: `${id} (${vips.join(', ') || 'NodePort'})`,
                    field: 'References',
                    seen: endpointIds.filter(endpoint => !ids.has(endpoint)),
                    expected: 'ids of endpoints that exist',
                  })),
                )
                .fixedBy(remedy),
            ]
          : []),
        ...(harmful.length > 0 ? [takesPodsAddress(subject, harmful)] : []),
        ...(unused.length > 0
          ? [
              fail(
                `${unused.length} remote endpoints are in no load balancer (${names(unused.map(({ip}) => ip ?? '?'))}): kube-proxy has left them behind.`,
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
                  expected: 'one for each port of each Service',
                })
                .fixedBy(remedy),
            ]
          : []),
      ];
    },
    explain: {
      meaning:
        'A load balancer refers to the endpoints of pods. Some refer to endpoints that are gone, or endpoints of remote pods are left that no load balancer uses. Requests that hit the first are lost; the second can take the address of a new pod.',
      why: 'kube-proxy makes both and should remove both. It loses track when it restarts (it removes all load balancers, but not the remote endpoints), when HNS refuses to delete one, or when something else changed HNS meanwhile.',
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

/** Remote endpoints that kube-proxy made and forgot: not the plugin's own, and not its source VIP. */
function unusedEndpoints(subject: NodeSubject<'hnsPolicyLists' | 'hnsEndpoints'>) {
  const {node, plugin, cluster} = subject;
  const network = podNetwork(node, plugin.profile.network);
  const used = new Set(node.hnsPolicyLists.flatMap(({endpointIds}) => endpointIds));
  const vips = new Set(node.hnsPolicyLists.map(({sourceVip}) => sourceVip));
  // What is behind a Service at this moment is about to be used, not forgotten.
  const behind = new Set(cluster?.all('EndpointSlice').flatMap(slice => slice.endpoints.flatMap(its => its.addresses)));
  return node.hnsEndpoints.filter(endpoint => {
    const {id, name, remote, ip, networkId} = endpoint;
    return (
      remote &&
      !used.has(id) &&
      !vips.has(ip) &&
      !behind.has(ip ?? '') &&
      !/_ep$/i.test(name) &&
      !isNamedAsHost(subject, endpoint) &&
      (network === undefined || networkId === undefined || networkId === network.id)
    );
  });
}

/** A pod of this node that runs and has this address for itself. */
function podAt({node, cluster}: NodeSubject, ip: string | undefined) {
  return cluster
    ?.podsOn(node.name)
    .find(
      pod =>
        pod.spec.hostNetwork !== true &&
        pod.status?.phase === 'Running' &&
        ip !== undefined &&
        podIps(pod).includes(ip),
    );
}

/** Remote endpoints with the address of a pod that runs here: left from when another node's pod had it. */
function onLocalPods(subject: NodeSubject<'hnsEndpoints'>): Endpoint[] {
  return subject.node.hnsEndpoints.filter(
    endpoint => endpoint.remote && !isNamedAsHost(subject, endpoint) && podAt(subject, endpoint.ip) !== undefined,
  );
}

function takesPodsAddress(subject: NodeSubject, endpoints: readonly Endpoint[]): Verdict {
  const told = endpoints.map(({ip}) => {
    const {namespace, name} = podAt(subject, ip)?.metadata ?? {};
    return `${ip} of pod ${namespace}/${name}`;
  });
  return fail(
    `Stale remote endpoints hold addresses of pods that run on this node (${names(told)}): HNS sends their traffic away from the node.`,
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
        'Restart kube-proxy on this node: it makes its load balancers again.',
      ),
    );
}

/** Services without a load balancer, where that is most of them: a few may be so for reasons of their own. */
function lackingServices(subject: NodeSubject<'hnsPolicyLists'>): string[] {
  const {node, cluster} = subject;
  if (!cluster || proxyRuns(subject) !== true) return [];
  const balanced = new Set(node.hnsPolicyLists.flatMap(({vips}) => vips));
  const expected = cluster.some('Service').filter(service => hasEndpoints(cluster, service) && isProxied(service));
  const lacking = expected.filter(service => !clusterIps(service).some(ip => balanced.has(ip)));
  return lacking.length >= 3 && lacking.length * 2 > expected.length && balanced.size > 0
    ? lacking.map(({metadata}) => `${metadata.namespace}/${metadata.name}`)
    : [];
}
