import {names} from '../../lib/names.js';
import {powerShellText} from '../../lib/quote.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {type Evidence, fail, unknown} from '../../model/verdict.js';
import {contains, networkPrefix as networkOf, within} from '../../snapshot/addresses.js';
import {type ClusterModel, internalIp, oncePerCluster, podCidr} from '../../snapshot/cluster.js';
import {activeConf, type CniConf} from '../../snapshot/cni-conf.js';
import {type Endpoint, isType} from '../../snapshot/hns.js';
import {podRanges, serviceRanges} from '../cluster-network.js';
import {podNetwork} from '../pod-network.js';

/** A range that pods must reach with their own address, or through a Service address. */
interface Needed {
  readonly range: string;
  readonly what: string;
}

/** Where policies were found: the configuration, which applies to new pods, or a pod's endpoint. */
interface Source {
  readonly object: string;
  readonly section: string;
  /** Undefined: no OutBoundNAT policy, so nothing is translated. */
  readonly exceptions: readonly string[] | undefined;
  readonly encapsulated: readonly string[];
}

export const outboundNatChecks: readonly Check[] = [
  check({
    id: 'cni/outbound-nat-exceptions',
    title: 'Traffic inside the cluster bypasses outbound NAT',
    failure: 'Traffic inside the cluster is rewritten by outbound NAT',
    severity: 'error',
    plugins: 'win-bridge, win-overlay, wincni, Flannel',
    needs: ['nodeObject', 'files'],
    appliesTo: ({plugin}) => plugin.profile.outboundNat !== undefined,
    run(subject) {
      const conf = activeConf(subject.node);
      const sources = [...confSource(subject, conf), ...endpointSources(subject)];
      if (sources.length === 0) return unknown('Neither a CNI configuration nor the endpoint of a pod was read.');
      const [excepted, routed] = [neededExceptions(subject), neededRoutes(subject)];
      const natted = sources.map(source => ({source, lacks: excepted.filter(need => !isExcepted(need, source))}));
      // HNS does not return these policies for every endpoint, so the configuration takes precedence.
      const direct = sources
        .filter(({section}) => section === 'files' || conf === undefined)
        .map(source => ({source, lacks: routed.filter(need => !covers(source.encapsulated, need.range))}));
      const found = [
        ...natted.map(its => ({...its, field: 'OutBoundNAT ExceptionList'})),
        ...direct.map(its => ({...its, field: 'ROUTE with NeedEncap'})),
      ].filter(({lacks}) => lacks.length > 0);
      if (found.length === 0) return undefined;
      const summaryOf = (field: RegExp) =>
        names(
          found
            .filter(its => field.test(its.field))
            .flatMap(({lacks}) => lacks.map(({what, range}) => `${what} (${range})`)),
        );
      const [noException, noRoute] = [summaryOf(/^Out/), summaryOf(/^ROUTE/)];
      const consequence = [
        noException && `pod traffic to ${noException} has the node address as its source`,
        noRoute && `there is no route with NeedEncap for ${noRoute}`,
      ].filter(Boolean);
      return fail(`The policies of pods on this node are incomplete: ${consequence.join('; ')}.`)
        .because(...found.slice(0, 10).map(({source, lacks, field}) => evidenceOf(source, lacks, field)))
        .fixedBy(
          manual(
            `Add ${names([...new Set(found.flatMap(({lacks}) => lacks.map(({range}) => range)))])} to the policies in ${conf ? powerShellText(conf.path) : 'the CNI configuration'} (if an agent or a start script generates that file, change its source, such as a ConfigMap).`,
            'Delete the pods on this node: running pods keep the policies they were created with.',
          ),
        );
    },
    explain: {
      meaning:
        'OutBoundNAT replaces the source address of packets that leave a pod with the node address. Traffic inside the cluster must not be translated: the exception list must contain the pod, Service and, without an overlay, node ranges. A range is missing, so pods appear with the node address, and replies or network policies fail.',
      why: 'The list is written manually, or by a script. A range was forgotten, or the ranges of the cluster changed later.',
      see: [
        'Get-Content C:\\etc\\cni\\net.d\\*.conf',
        'Get-HnsEndpoint | Select-Object Name -ExpandProperty Policies | Where-Object Type -eq OutBoundNAT',
      ],
      fix: [
        'Add the cluster CIDR, the service CIDR and, for l2bridge, the node subnet to ExceptionList.',
        'Add a ROUTE (SDNROUTE for API version 2) with NeedEncap true for the service CIDR; wincni also needs one for the node address.',
        'Delete the pods on the node, so that they are recreated.',
      ],
      sources: [
        'https://www.cni.dev/plugins/current/main/win-bridge/',
        'https://learn.microsoft.com/en-us/virtualization/windowscontainers/kubernetes/network-topologies',
      ],
    },
  }),
];

function neededExceptions({node, object, cluster, plugin}: NodeSubject): Needed[] {
  const bridged = plugin.profile.network?.types.includes('L2Bridge');
  const own = node.netIPAddresses?.find(({ip}) => ip === internalIp(object));
  const subnet = own?.prefixLength === undefined ? undefined : networkOf(`${own.ip}/${own.prefixLength}`);
  return [
    ...pods(cluster),
    ...clusterServices(cluster),
    ...(bridged && subnet !== undefined ? [{range: subnet, what: 'nodes'}] : []),
  ];
}

function neededRoutes({object, cluster, plugin}: NodeSubject): Needed[] {
  const address = internalIp(object);
  return [
    ...clusterServices(cluster),
    ...(plugin.profile.outboundNat?.routesToNode && address ? [{range: `${address}/32`, what: 'the node itself'}] : []),
  ];
}

const podCidrs = oncePerCluster(cluster => cluster.all('Node').flatMap(node => podCidr(node) ?? []));

/** The cluster's range, or if it is unknown, the subnet of each node. */
function pods(cluster: ClusterModel | undefined): Needed[] {
  const ranges = podRanges(cluster);
  const all = ranges.length > 0 || !cluster ? ranges : podCidrs(cluster);
  return all.map(range => ({range, what: 'pods'}));
}

/** The cluster's range, or if it is unknown, the address of each Service. */
function clusterServices(cluster: ClusterModel | undefined): readonly Needed[] {
  return cluster ? readClusterServices(cluster) : [];
}

const readClusterServices = oncePerCluster((cluster): readonly Needed[] => {
  const ranges = serviceRanges(cluster);
  const addresses = cluster.all('Service').flatMap(({spec}) => spec.clusterIP ?? []);
  const all = ranges.length > 0 ? ranges : addresses.filter(ip => /^[\d.]+$/.test(ip)).map(ip => `${ip}/32`);
  return all.map(range => ({range, what: 'Services'}));
});

function isExcepted({range}: Needed, {exceptions}: Source): boolean {
  return exceptions === undefined || covers(exceptions, range);
}

function covers(ranges: readonly string[], range: string): boolean {
  return ranges.some(each => within(range, each.includes('/') ? each : `${each}/32`));
}

function confSource({plugin}: NodeSubject, conf: CniConf | undefined): Source[] {
  const first = conf?.plugins[0];
  if (!conf || !first) return [];
  const added = plugin.profile.outboundNat?.excepted ?? [];
  return [
    {
      object: conf.path,
      section: 'files',
      exceptions: first.outboundNat.length > 0 ? [...first.outboundNat.flat(), ...added] : undefined,
      encapsulated: first.routes.filter(({needEncap}) => needEncap).map(({prefix}) => prefix),
    },
  ];
}

function endpointSources({node, plugin}: NodeSubject): Source[] {
  const network = podNetwork(node, plugin.profile.network);
  if (!network || !isType(network, ...(plugin.profile.network?.types ?? []))) return [];
  const ofPod = ({remote, networkId, containers, ip}: Endpoint) =>
    !remote &&
    networkId === network.id &&
    containers.length > 0 &&
    network.subnets.some(({prefix}) => contains(prefix, ip));
  return (node.hnsEndpoints ?? []).filter(ofPod).map(({name, outboundNat, routes}) => ({
    object: name,
    section: 'hnsEndpoints',
    exceptions: outboundNat.length > 0 ? outboundNat.flat() : undefined,
    encapsulated: routes.filter(({needEncap}) => needEncap).map(({prefix}) => prefix),
  }));
}

function evidenceOf(
  {object, section, exceptions, encapsulated}: Source,
  lacks: readonly Needed[],
  field: string,
): Evidence {
  return {
    section,
    object,
    field,
    seen: field.startsWith('ROUTE') ? encapsulated : exceptions,
    expected: lacks.map(({range, what}) => `${range} (${what})`),
  };
}
