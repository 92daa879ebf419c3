import {parseJson, property, textProperty} from '../../lib/json-properties.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import {cleanupRemedy, manual} from '../../model/remedies.js';
import {type Evidence, fail, skipped, unknown, type Verdict} from '../../model/verdict.js';
import {contains, nthAddress} from '../../snapshot/addresses.js';
import {balancerName} from '../../snapshot/balancer-names.js';
import {hasIp} from '../../snapshot/cluster.js';
import {fileNamed} from '../../snapshot/cni-conf.js';
import {isType, type Network, same} from '../../snapshot/hns.js';
import {podNetwork} from '../pod-network.js';
import {hasNoProcess, notStarted, proxySetting} from './running-proxy.js';

export const proxyNetworkChecks: readonly Check[] = [
  check({
    id: 'kube-proxy/network-name',
    title: 'kube-proxy uses the HNS network of the plugin',
    failure: 'kube-proxy uses a different HNS network',
    severity: 'error',
    plugins: 'kube-proxy',
    needs: ['hnsNetworks'],
    appliesTo: ({plugin}) => plugin.profile.kubeProxy === 'needed' && plugin.profile.network !== undefined,
    run(subject) {
      const {node, plugin} = subject;
      const expected = plugin.profile.network;
      const network = podNetwork(node, expected);
      const set = proxySetting(subject, 'networkName');
      if (!set && worksOn(subject, network)) return undefined;
      if (!set) return hasNoProcess(subject) ? notStarted : unknown('The HNS network of kube-proxy was not read.');
      if (namesNetwork(set.value, network?.name ?? expected?.name ?? '')) return undefined;
      if (!network) return skipped(`HNS network ${expected?.name} does not exist.`);
      return fail(
        `kube-proxy is configured with HNS network ${set.value}, but the pods are on ${network.name}: it creates no load balancers, and Services are not reachable.`,
      )
        .because(
          {...set.evidence, expected: network.name},
          {section: 'hnsNetworks', object: network.name, seen: node.hnsNetworks.map(({name}) => name)},
        )
        .fixedBy(
          manual(
            `Set KUBE_NETWORK (or --network-name, or winkernel.networkName) of kube-proxy to ${network.name}`,
            'Restart kube-proxy on this node.',
          ),
        );
    },
    explain: {
      meaning:
        'kube-proxy finds the HNS network for its load balancers by name. The configured name is not the name of the pod network.',
      why: 'The name depends on the plugin and its configuration: flannel.4096, vxlan0, cbr0, Calico, azure. The kube-proxy manifest contains one of them, which may be wrong for your cluster.',
      see: [
        'Get-HnsNetwork | Select-Object Name, Type',
        'kubectl -n kube-system get daemonset kube-proxy-windows -o yaml',
        '(Get-CimInstance Win32_Process -Filter "Name=\'kube-proxy.exe\'").CommandLine',
      ],
      fix: [
        'Set KUBE_NETWORK, --network-name or winkernel.networkName to the name that Get-HnsNetwork shows.',
        'Restart kube-proxy.',
      ],
      sources: ['https://github.com/kubernetes-sigs/sig-windows-tools/issues/336'],
    },
  }),

  check({
    id: 'kube-proxy/source-vip',
    title: 'Source VIP of kube-proxy matches the network',
    failure: 'Source VIP of kube-proxy does not match the network',
    severity: 'error',
    repair: {level: 'medium', effect: 'none', restarts: 'kube-proxy'},
    plugins: 'Overlay',
    needs: ['hnsNetworks', 'hnsEndpoints'],
    settles: true,
    consequenceOf: [
      'hns/network-present',
      'hns/host-endpoint',
      'kube-proxy/expected',
      'kube-proxy/network-name',
      'hns/responds',
    ],
    appliesTo: ({plugin}) =>
      plugin.profile.kubeProxy === 'needed' &&
      (plugin.profile.network?.types.some(type => same(type, 'Overlay')) ?? false),
    run(subject) {
      const {node, plugin} = subject;
      const network = podNetwork(node, plugin.profile.network);
      if (!network)
        return skipped(`HNS network ${plugin.profile.network?.name} does not exist, so there is no source VIP.`);
      if (!isType(network, 'Overlay')) return undefined;
      const file = fileVerdict(subject);
      if (file) return file;
      const vip = sourceVip(subject);
      if (!vip)
        return unknown(
          'No source VIP was found: kube-proxy has not created a load balancer, and its flags were not read.',
        );
      return diagnose(subject, network, vip);
    },
    explain: {
      meaning:
        'On an overlay, traffic to a Service leaves the node with one address of the pod subnet, the source VIP. It must be in the current subnet of the network, have an HNS endpoint, and belong to no pod. Otherwise replies are lost or go to the wrong pod.',
      why: 'Start scripts reserve the address once and store it in sourceVip.json. If the pod subnet of the node changes, or the file is damaged, kube-proxy still uses the content of the file.',
      see: [
        'Get-Content C:\\sourcevip\\sourceVip.json',
        'Get-HnsEndpoint | Select-Object Name, IPAddress, State, IsRemoteEndpoint',
        'Get-HnsPolicyList | Select-Object -ExpandProperty Policies | Select-Object SourceVIP, VIPs, ExternalPort',
      ],
      fix: [
        'Remove-Item C:\\sourcevip\\sourceVip.json (or C:\\k\\sourceVip.json)',
        'Restart kube-proxy; its start script reserves a new address.',
        'If a pod has the address, delete that pod.',
      ],
      sources: [
        'https://github.com/kubernetes/kubernetes/issues/78338',
        'https://github.com/kubernetes-sigs/sig-windows-tools/issues/250',
      ],
    },
  }),
];

/** Calico's scripts use a pattern: `Calico.*`. */
function namesNetwork(value: string, name: string): boolean {
  if (same(value, name)) return true;
  return value.endsWith('.*') && name.toLowerCase().startsWith(value.slice(0, -2).toLowerCase());
}

/** Load balancers on the pod network show that kube-proxy has found it. */
function worksOn({node}: NodeSubject, network: Network | undefined): boolean {
  const balancers = node.hnsPolicyLists ?? [];
  return network !== undefined && balancers.some(({networkId}) => networkId === network.id);
}

interface SourceVip {
  readonly ip: string;
  readonly evidence: Evidence;
}

/**
 * The source VIP of the load balancers, otherwise the configured one, otherwise the one in the file, which applies at
 * the next start.
 */
function sourceVip(subject: NodeSubject): SourceVip | undefined {
  const {node} = subject;
  const balancer = node.hnsPolicyLists?.find(({sourceVip: vip}) => vip !== undefined && vip !== '');
  if (balancer?.sourceVip)
    return {
      ip: balancer.sourceVip,
      evidence: {
        section: 'hnsPolicyLists',
        object: balancerName(subject.cluster, balancer),
        field: 'SourceVIP',
        seen: balancer.sourceVip,
      },
    };
  const set = proxySetting(subject, 'sourceVip');
  if (set) return {ip: set.value, evidence: set.evidence};
  const file = vipFile(subject);
  return file?.ip === undefined
    ? undefined
    : {ip: file.ip, evidence: {section: 'files', object: file.path, field: 'address', seen: file.ip}};
}

function vipFile({node}: NodeSubject): {path: string; ip: string | undefined; content: string | undefined} | undefined {
  const file = fileNamed(node, 'sourceVip.json');
  if (!file) return undefined;
  const json = parseJson(file.content);
  // CNI results since version 0.3 have a list of addresses, those of 0.2 one address per family.
  const [first] = Array.isArray(property(json, 'ips')) ? (property(json, 'ips') as unknown[]) : [];
  const address = textProperty(first, 'address') ?? textProperty(property(json, 'ip4'), 'ip');
  return {path: file.path, ip: address?.split('/')[0], content: file.content};
}

/** A file that breaks the next start of kube-proxy, even if it works now. */
function fileVerdict(subject: NodeSubject): Verdict | undefined {
  const {node, plugin} = subject;
  const file = vipFile(subject);
  // If the source VIP is configured otherwise, the file is unused.
  if (!file || file.content === undefined || plugin.profile.hostEndpoint) return undefined;
  if (file.ip === undefined)
    return fail(`${file.path} contains no address, so kube-proxy will have no source VIP at its next start.`)
      .because({
        section: 'files',
        object: file.path,
        field: 'Content',
        seen: file.content.slice(0, 80),
        expected: 'a CNI result in JSON',
      })
      .fixedBy(cleanupRemedy(node));
  const prefixes = podNetwork(node, plugin.profile.network)?.subnets.map(({prefix}) => prefix) ?? [];
  if (prefixes.length === 0 || prefixes.some(prefix => contains(prefix, file.ip))) return undefined;
  return fail(`${file.path} has the source VIP ${file.ip}, which is outside the current subnet of this node.`)
    .because({section: 'files', object: file.path, field: 'address', seen: file.ip, expected: prefixes})
    .fixedBy(cleanupRemedy(node));
}

function diagnose(
  {node, cluster}: NodeSubject<'hnsEndpoints'>,
  network: Network,
  {ip, evidence}: SourceVip,
): Verdict | undefined {
  const prefixes = network.subnets.map(({prefix}) => prefix);
  if (prefixes.length > 0 && !prefixes.some(prefix => contains(prefix, ip)))
    return fail(
      `The source VIP ${ip} of kube-proxy is outside the subnet of ${network.name}, so replies from Services are lost.`,
    )
      .because({...evidence, expected: prefixes})
      .fixedBy(cleanupRemedy(node));
  const reserved = network.subnets.find(({prefix, gateway}) => gateway === ip || nthAddress(prefix, 0) === ip);
  if (reserved)
    return fail(
      `The source VIP ${ip} of kube-proxy is the ${reserved.gateway === ip ? 'gateway' : 'network'} address of subnet ${reserved.prefix}, so replies from Services are lost.`,
    )
      .because({...evidence, expected: `another address of ${reserved.prefix}`})
      .fixedBy(cleanupRemedy(node));
  const pod = cluster?.podsOn(node.name).find(candidate => !candidate.spec.hostNetwork && hasIp(candidate, ip));
  const endpoints = node.hnsEndpoints.filter(endpoint => endpoint.ip === ip);
  const ofPod = endpoints.find(({containers}) => containers.length > 0);
  if (pod || ofPod)
    return fail(
      `The source VIP ${ip} of kube-proxy is also the address of ${pod ? `pod ${pod.metadata.namespace}/${pod.metadata.name}` : 'a container'}.`,
    )
      .because({...evidence, expected: 'an address that no pod has'})
      .fixedBy(cleanupRemedy(node));
  if (endpoints.length > 0) return undefined;
  return fail(`The source VIP ${ip} of kube-proxy has no HNS endpoint, so Services are not reachable from this node.`)
    .because({...evidence, expected: 'an HNS endpoint with this address'})
    .fixedBy(cleanupRemedy(node));
}
