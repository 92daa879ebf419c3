import {powerShellText} from '../../lib/quote.js';
import {type Check, check} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown, type Verdict} from '../../model/verdict.js';
import {type ClusterModel, oncePerCluster} from '../../snapshot/cluster.js';
import type {Sections} from '../../snapshot/sections.js';

type Probe = Sections['probes'][number];

/** Ports of other probes: DNS, kubelet, the OVN databases. */
const otherPorts = new Set([53, 10250, 6641, 6642, 6640]);

/** Checks that must pass for a ClusterIP to work. */
const translators = [
  'cni/api-server-override',
  'kube-proxy/expected',
  'kube-proxy/older-than-hns',
  'kube-proxy/network-name',
  'kube-proxy/source-vip',
  'kube-proxy/hostname-override',
  'kube-proxy/dns-load-balancer',
  'kube-proxy/dangling-load-balancer',
  'hns/network-present',
  'ovs/extension',
  'ovs/services',
  'cni/agent-pod',
];

export const apiServerChecks: readonly Check[] = [
  check({
    id: 'net/api-server',
    title: 'API server and kubelet respond',
    failure: 'API server or kubelet does not respond',
    severity: 'error',
    needs: ['probes'],
    consequenceOf: ['net/node-ip-owner', 'net/apipa', 'net/default-route', 'ovs/extension', 'ovs/services'],
    run({node, cluster}) {
      const kubelet = node.probes.filter(({kind, target}) => kind === 'tcp' && portOf(target) === 10250);
      const servers = node.probes.filter(probe => isApiServer(probe, cluster));
      if (servers.length + kubelet.length === 0) return unknown('Neither the API server nor kubelet was probed.');
      const lost = servers.filter(({ok}) => !ok);
      const verdicts: Verdict[] = [];
      const [throughService, direct] = [
        lost.filter(probe => isClusterIp(probe, cluster)),
        lost.filter(probe => !isClusterIp(probe, cluster)),
      ];
      const answers = servers.some(probe => probe.ok && !isClusterIp(probe, cluster));
      if (answers && throughService.length > 0) verdicts.push(serviceFails(throughService));
      const [unexplained, probed] = answers ? [direct, servers.length - throughService.length] : [lost, servers.length];
      if (unexplained.length > 0) verdicts.push(unreachable(unexplained, probed));
      if (kubelet.length > 0 && kubelet.every(({ok}) => !ok)) verdicts.push(kubeletDown(kubelet));
      if (verdicts.length === 0 && servers.length === 0) return unknown('The API server was not probed.');
      return verdicts;
    },
    explain: {
      meaning:
        'The node itself cannot open a TCP connection to the API server, or nothing listens on the kubelet port (10250). Without the API server, agents and kubelet fail. Without kubelet, kubectl logs, exec and port-forward fail.',
      why: 'The node address or its default route is missing, a firewall blocks the connection, the virtual switch does not forward, or kubelet is stopped.',
      see: [
        'Test-NetConnection -ComputerName APISERVER -Port 6443',
        'Get-NetTCPConnection -LocalPort 10250 -State Listen',
        'Get-Service kubelet',
      ],
      fix: [
        'Repair the node address and its route first (net/node-ip-owner, net/default-route).',
        'Then check the firewalls between the node and the API server.',
        'Kubelet: Restart-Service kubelet, and read its log.',
      ],
      sources: ['https://kubernetes.io/docs/reference/networking/ports-and-protocols/'],
    },
  }),
];

/** The API server addresses in the cluster's EndpointSlice. */
export function apiServers(cluster: ClusterModel | undefined): readonly ApiServer[] {
  return cluster ? readApiServers(cluster) : [];
}

interface ApiServer {
  readonly ip: string;
  readonly port: number | undefined;
}

const readApiServers = oncePerCluster((cluster): readonly ApiServer[] =>
  cluster
    .all('EndpointSlice')
    .filter(({metadata}) => metadata.namespace === 'default' && /^kubernetes(-|$)/.test(metadata.name))
    .flatMap(({endpoints, ports}) =>
      endpoints.flatMap(({addresses}) => addresses.map(ip => ({ip, port: ports[0]?.port}))),
    ),
);

export function isApiServer({kind, target}: Probe, cluster: ClusterModel | undefined): boolean {
  if (kind !== 'tcp') return false;
  const port = portOf(target);
  if (port === undefined || otherPorts.has(port)) return false;
  if (port === 443 || port === 6443) return true;
  return apiServers(cluster).some(server => target === `${server.ip}:${server.port}`);
}

function unreachable(lost: readonly Probe[], all: number): Verdict {
  const targets = lost.map(({target}) => target);
  const verdict = fail(
    lost.length === all
      ? `The node cannot reach the API server at ${targets.join(', ')}.`
      : `The node cannot reach the API server at ${targets.join(', ')}; ${all - lost.length} of ${all} respond.`,
  )
    .because(...lost.map(evidenceOf))
    .fixedBy(
      manual(
        ...targets.map(target => {
          const [host, port] = splitTarget(target);
          return `Test-NetConnection -ComputerName ${powerShellText(host)} -Port ${port ?? 443}`;
        }),
        'Check the address and the routes of the node, then the firewalls on the path.',
      ),
    );
  return lost.length === all ? verdict : verdict.as('warning');
}

/** The ClusterIP of the Service `kubernetes`, which kube-proxy or the plugin has to translate. */
function isClusterIp({target}: Probe, cluster: ClusterModel | undefined): boolean {
  const ip = cluster && clusterIp(cluster);
  return ip !== undefined && splitTarget(target)[0] === ip;
}

const clusterIp = oncePerCluster(
  cluster =>
    cluster.known('Service').find(({metadata}) => metadata.name === 'kubernetes' && metadata.namespace === 'default')
      ?.spec?.clusterIP,
);

/** The API server responds at its own address, so the translation of its ClusterIP fails. */
function serviceFails(lost: readonly Probe[]): Verdict {
  return fail(
    `The API server responds at its own address, but not at the ClusterIP ${lost.map(({target}) => target).join(', ')}: Services are not translated on this node.`,
  )
    .as('warning')
    .because(...lost.map(evidenceOf))
    .following(...translators)
    .fixedBy(
      manual('Get-HnsPolicyList', 'Check kube-proxy on this node, or the agent if the plugin replaces kube-proxy.'),
    );
}

function kubeletDown(kubelet: readonly Probe[]): Verdict {
  return fail(`Nothing responds on ${kubelet.map(({target}) => target).join(', ')}: kubelet is not listening.`)
    .because(...kubelet.map(evidenceOf))
    .fixedBy(manual('Get-Service kubelet', 'Restart-Service kubelet'));
}

function evidenceOf({target, error}: Probe) {
  return {section: 'probes', object: `tcp ${target}`, field: 'Ok', seen: error ?? false, expected: true};
}

function portOf(target: string): number | undefined {
  return splitTarget(target)[1];
}

function splitTarget(target: string): [string, number | undefined] {
  const match = /^(?:\w+:\/\/)?\[?(.+?)\]?:(\d+)\/?$/.exec(target);
  return match ? [match[1] ?? target, Number(match[2])] : [target, undefined];
}
