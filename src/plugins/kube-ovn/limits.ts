import {listProperty, property} from '../../lib/json-properties.js';
import {names} from '../../lib/names.js';
import {shellText} from '../../lib/quote.js';
import {type Check, clusterCheck, type Fleet} from '../../model/check.js';
import {runs} from '../../model/plugin.js';
import {manual} from '../../model/remedies.js';
import {fail, info, unknown, type Verdict} from '../../model/verdict.js';
import type {Workload} from '../../snapshot/cluster.js';
import {podSubnets} from './cluster-facts.js';

/** Annotations for bandwidth limits and network emulation (kube-ovn pkg/util/const.go). */
const qosAnnotation =
  /(^|\.)ovn\.kubernetes\.io\/(ingress_rate|egress_rate|latency|limit|loss|jitter)$|^ovn\.kubernetes\.io\/(priority|htbqos)$/;

export const limitChecks: readonly Check[] = [
  clusterCheck({
    id: 'platform/kube-ovn-limits',
    title: 'Kube-OVN settings are supported on Windows',
    failure: 'Kube-OVN setting is not supported on Windows',
    severity: 'error',
    plugins: 'Kube-OVN',
    appliesTo: ({subjects}) => subjects.some(runs('kube-ovn')),
    run(fleet) {
      return [
        ssl(fleet),
        families(fleet),
        providerNetworks(fleet),
        qos(fleet),
        kubeProxy(fleet),
        ...servicesOn(fleet),
      ].filter(verdict => verdict !== undefined);
    },
    explain: {
      meaning:
        'The cluster uses a feature that Kube-OVN does not support on Windows nodes: SSL to its databases, IPv6, several provider networks or one not named provider, pod bandwidth limits, kube-proxy, or Services. On Windows, the feature is ignored or breaks the node network. Services are not reachable from or through Windows nodes, because Kube-OVN does not support kube-proxy there.',
      why: 'These features work on Linux nodes and are often enabled for the whole cluster.',
      see: [
        'kubectl -n kube-system get deployment kube-ovn-controller -o yaml',
        'kubectl get subnets.kubeovn.io,provider-networks.kubeovn.io',
        'Get-Service kube-proxy, kubeproxy; Get-Process kube-proxy',
      ],
      fix: [
        'SSL: install Kube-OVN with ENABLE_SSL=false.',
        'IPv6: use only IPv4 subnets on Windows nodes.',
        'Provider networks: use one, named provider, for Windows nodes; exclude them from the others (spec.excludeNodes).',
        'QoS: remove the annotations from pods on Windows nodes.',
        'Services: on Windows nodes use pod addresses, or run the client on Linux; expose Services through Linux nodes.',
        'kube-proxy: run it on Linux nodes only (nodeSelector kubernetes.io/os: linux) and remove its service from Windows nodes.',
      ],
      sources: ['https://github.com/kubeovn/kube-ovn/blob/v1.10.0/docs/windows-support.md'],
    },
  }),
];

function windowsNames({subjects}: Fleet): string[] {
  return subjects.filter(runs('kube-ovn')).map(({node}) => node.name);
}

export function ssl({cluster}: Fleet): Verdict | undefined {
  const workloads: readonly Workload[] = [...cluster.all('Deployment'), ...cluster.all('DaemonSet')];
  const secured = workloads.filter(
    ({metadata, spec}) =>
      /^(kube-ovn-|ovn-|ovs-ovn$)/.test(metadata.name) &&
      spec.template.spec.containers.some(({env}) =>
        env.some(({name, value}) => name === 'ENABLE_SSL' && value?.toLowerCase() === 'true'),
      ),
  );
  if (secured.length === 0) return undefined;
  return fail('Kube-OVN is installed with SSL (ENABLE_SSL=true), which Windows nodes do not support.')
    .because(
      ...secured.map(({kind, metadata}) => ({
        section: 'cluster',
        object: `${kind} ${metadata.namespace}/${metadata.name}`,
        field: 'env ENABLE_SSL',
        seen: 'true',
        expected: 'false',
      })),
    )
    .fixedBy(manual('Install Kube-OVN with ENABLE_SSL=false (Helm: --set networking.ENABLE_SSL=false).'));
}

export function families({cluster}: Fleet): Verdict | undefined {
  const subnets = podSubnets(cluster).filter(({ipv6}) => ipv6.length > 0);
  if (subnets.length === 0) return undefined;
  return fail(`Subnets with IPv6 do not work on Windows nodes: ${subnets.map(({name}) => name).join(', ')}.`)
    .because(
      ...subnets.map(({name, ipv4, ipv6}) => ({
        section: 'cluster',
        object: `Subnet ${name}`,
        field: 'spec.cidrBlock',
        seen: [...ipv4, ...ipv6].join(','),
        expected: 'only IPv4',
      })),
    )
    .fixedBy(manual('Use IPv4-only subnets for pods that may run on Windows nodes.'));
}

export function providerNetworks(fleet: Fleet): Verdict | undefined {
  const nodes = windowsNames(fleet);
  const networks = fleet.cluster.custom('kubeovn.io', 'ProviderNetwork').filter(network => {
    const excluded = listProperty(property(network, 'spec'), 'excludeNodes');
    return network.metadata.deletionTimestamp === undefined && nodes.some(name => !excluded.includes(name));
  });
  const names = networks.map(({metadata}) => metadata.name);
  if (names.length === 0 || (names.length === 1 && names[0] === 'provider')) return undefined;
  return fail(
    names.length > 1
      ? `Windows nodes support one provider network, named provider, but there are ${names.length}: ${names.join(', ')}.`
      : `Windows nodes support only a provider network named provider, but this one is named ${names[0]}.`,
  )
    .because({
      section: 'cluster',
      object: 'ProviderNetwork',
      field: 'metadata.name',
      seen: names,
      expected: 'provider, or Windows nodes in spec.excludeNodes',
    })
    .fixedBy(
      manual(
        ...names
          .filter(name => name !== 'provider')
          .map(
            name =>
              `kubectl patch provider-networks.kubeovn.io ${shellText(name)} --type=merge -p ${shellText(JSON.stringify({spec: {excludeNodes: nodes}}))} (also list the nodes that are already excluded)`,
          ),
      ),
    );
}

export function qos(fleet: Fleet): Verdict | undefined {
  const limited = windowsNames(fleet)
    .flatMap(name => fleet.cluster.podsOn(name))
    .flatMap(({metadata}) => {
      const keys = Object.keys(metadata.annotations).filter(
        key => qosAnnotation.test(key) && !['', '0'].includes(metadata.annotations[key] ?? ''),
      );
      return keys.length > 0 ? [{metadata, keys}] : [];
    });
  if (limited.length === 0) return undefined;
  const names = limited.map(({metadata}) => `${metadata.namespace}/${metadata.name}`);
  return fail(`Bandwidth limits have no effect on Windows nodes, but these pods have them: ${names.join(', ')}.`)
    .because(
      ...limited.map(({metadata, keys}) => ({
        section: 'cluster',
        object: `Pod ${metadata.namespace}/${metadata.name}`,
        field: 'metadata.annotations',
        seen: keys,
        expected: 'none of them',
      })),
    )
    .fixedBy(manual('Remove these annotations from the pod template, or schedule the pods only on Linux nodes.'));
}

function kubeProxy({subjects, cluster}: Fleet): Verdict | undefined {
  const found = subjects.filter(runs('kube-ovn')).flatMap(({node}) => {
    const pod = cluster
      .podsOn(node.name)
      .find(({metadata, status}) => /^kube-?proxy/.test(metadata.name) && status?.phase === 'Running');
    const service = node.services?.find(({name, state}) => /^kube-?proxy$/i.test(name) && /^running$/i.test(state));
    const process = node.processes?.some(({name}) => name === 'kube-proxy');
    if (!pod && !service && !process) return [];
    const what = pod ? `pod ${pod.metadata.name}` : service ? `service ${service.name}` : 'process kube-proxy';
    return [
      {
        section: pod ? 'cluster' : service ? 'services' : 'processes',
        object: node.name,
        seen: what,
        expected: 'no kube-proxy',
      },
    ];
  });
  const unread = subjects.filter(runs('kube-ovn')).filter(({node}) => !node.services && !node.processes);
  if (found.length === 0 && unread.length > 0)
    return unknown(
      `Services and processes of ${unread.map(({node}) => node.name).join(', ')} were not read, so kube-proxy may be running.`,
    );
  if (found.length === 0) return undefined;
  return fail(
    `kube-proxy runs on ${found.map(({object}) => object).join(', ')}, but Kube-OVN on Windows does not support it.`,
  )
    .because(...found)
    .fixedBy(
      manual(
        'kubectl -n kube-system patch daemonset kube-proxy --type=merge -p \'{"spec":{"template":{"spec":{"nodeSelector":{"kubernetes.io/os":"linux"}}}}}\'',
        'If it is a service on the node: Stop-Service kube-proxy; Set-Service kube-proxy -StartupType Disabled',
      ),
    );
}

/**
 * Services with pods on Windows nodes: they are unreachable from Windows nodes, and Windows nodes do not forward their
 * traffic.
 */
export function servicesOn(fleet: Fleet): Verdict[] {
  const nodes = new Set(windowsNames(fleet));
  const {cluster} = fleet;
  const slices = Map.groupBy(
    cluster.all('EndpointSlice'),
    ({metadata}) => `${metadata.namespace}/${metadata.labels['kubernetes.io/service-name']}`,
  );
  const found = cluster.all('Service').flatMap(service => {
    const {name, namespace} = service.metadata;
    const endpoints = (slices.get(`${namespace}/${name}`) ?? []).flatMap(slice => slice.endpoints);
    const here = endpoints.filter(({nodeName}) => nodes.has(nodeName ?? ''));
    if (here.length === 0) return [];
    const isLocal = service.spec.externalTrafficPolicy === 'Local';
    return [{title: `${namespace}/${name}`, lost: isLocal && here.length === endpoints.length}];
  });
  const lost = found.filter(service => service.lost).map(({title}) => title);
  const others = found.filter(service => !service.lost).map(({title}) => title);
  const evidence = (titles: readonly string[]) =>
    titles.map(title => ({
      section: 'cluster',
      object: `Service ${title}`,
      field: 'endpoints',
      seen: 'on Windows nodes',
    }));
  return [
    ...(lost.length > 0
      ? [
          fail(
            `Services ${names(lost)} are reachable only through Windows nodes (externalTrafficPolicy Local), which do not forward Service traffic.`,
          )
            .because(...evidence(lost))
            .fixedBy(
              manual(
                ...lost.map(title => {
                  const [namespace = '', name = ''] = title.split('/');
                  return `kubectl -n ${shellText(namespace)} patch service ${shellText(name)} -p '{"spec":{"externalTrafficPolicy":"Cluster"}}' (then expose it through Linux nodes)`;
                }),
              ),
            ),
        ]
      : []),
    ...(others.length > 0
      ? [
          info(
            `Services ${names(others)} have pods on Windows nodes: they are reachable from Linux nodes, but not from or through Windows nodes.`,
          ).because(...evidence(others)),
        ]
      : []),
  ];
}
