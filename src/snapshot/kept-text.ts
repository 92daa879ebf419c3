import {own} from '../lib/own.js';

// Free text of Kubernetes objects that checks read: annotations, arguments, environment variables, ConfigMap data.
// Anything else may be a secret and is left out. If a check reads something new, add it here: otherwise the check
// cannot see it, not even in tests.

type Texts = Readonly<Record<string, unknown>>;

/** By kind; objects of other kinds keep no annotations. */
const annotations: Readonly<Record<string, readonly RegExp[]>> = {
  Node: [
    /^(flannel\.alpha\.coreos\.com|k8s\.ovn\.org|kubectl-win|node\.antrea\.io|ovn\.kubernetes\.io|projectcalico\.org)\//,
    /^ovn_host_subnet$/,
    // Other annotations of this operator contain a Windows user name and the hash of a key.
    /^windowsmachineconfig\.openshift\.io\/(desired-version|upgrading|version)$/,
  ],
  Pod: [/(^|\.)ovn\.kubernetes\.io\/(egress_rate|htbqos|ingress_rate|jitter|latency|limit|loss|priority)$/],
};

export function keptAnnotations(kind: string, all: Texts): Texts {
  return pick(all, key => own(annotations, kind)?.some(name => name.test(key)) ?? false);
}

/** Flags of kube-proxy, the control plane, Kube-OVN's controller and flanneld. */
const flags = [
  'cluster-cidr',
  'hostname-override',
  'iface',
  'kube-api-url',
  'kubeconfig-file',
  'network-name',
  'network-type',
  'service-cluster-ip-range',
  'source-vip',
];
const flag = new RegExp(`(?:^|[\\s"'])--(${flags.join('|')})(?:=|\\s+)("[^"]{0,2000}"|'[^']{0,2000}'|[^\\s"']+)`, 'g');

/** A patch of one flanneld argument has to repeat all of them, so all are kept, unless one may be a secret. */
export function areKeptWhole(words: readonly string[]): boolean {
  return (
    words.some(word => /(^|[\\/])flanneld(\.exe)?$/i.test(word)) &&
    !words.some(word => /pass|token|secret|key|user/i.test(word))
  );
}

/** The flags that checks read, as `--name=value`, also from a script passed as a single argument. */
export function keptArguments(words: readonly string[]): string[] {
  return [...words.join(' ').matchAll(flag)].map(([, name, value]) => `--${name}=${value}`);
}

const variables = [
  'CALICO_NETWORKING_BACKEND',
  'ENABLE_SSL',
  'IP_AUTODETECTION_METHOD',
  'KUBERNETES_SERVICE_HOST',
  'KUBE_NETWORK',
  'NODE_NAME',
  'VXLAN_ADAPTER',
  'VXLAN_VNI',
];

/** The variables that checks read by name, and those that a kept argument refers to. */
export function keptVariables(all: readonly Texts[], words: readonly string[]): Texts[] {
  const named = new Set([...variables, ...[...words.join(' ').matchAll(/\$\((\w+)\)/g)].map(([, name]) => name)]);
  return all.filter(({name}) => named.has(String(name)));
}

const configuration =
  /^(antrea-agent\.conf|cni-conf.*\.json|enable-windows-ipam|KUBERNETES_SERVICE_HOST|net-conf\.json|services)$/;

/** Only the matching lines of these files are kept. */
const lines: Readonly<Record<string, RegExp>> = {
  ClusterConfiguration: /^\s*(podSubnet|serviceSubnet):/,
  'config.conf': /^\s*clusterCIDR:/,
};

export function keptData(all: Texts): Texts {
  const data = pick(all, key => configuration.test(key) || Object.hasOwn(lines, key));
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => {
      const wanted = own(lines, key);
      const text = typeof value === 'string' ? value : '';
      return [
        key,
        wanted
          ? text
              .split('\n')
              .filter(line => wanted.test(line))
              .join('\n')
          : value,
      ];
    }),
  );
}

function pick(all: Texts, wanted: (key: string) => boolean): Texts {
  return Object.fromEntries(Object.entries(all).filter(([key]) => wanted(key)));
}
