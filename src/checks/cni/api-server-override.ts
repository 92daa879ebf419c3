import {shellText} from '../../lib/quote.js';
import {type Check, clusterCheck, type Fleet} from '../../model/check.js';
import {runs} from '../../model/plugin.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown, type Verdict} from '../../model/verdict.js';
import {clusterConf, setting} from '../../plugins/antrea/settings.js';
import type {ClusterModel, Workload} from '../../snapshot/cluster.js';
import {daemonSetName, windowsDaemonSets} from '../../snapshot/daemon-sets.js';

export const apiServerOverrideChecks: readonly Check[] = [
  clusterCheck({
    id: 'cni/api-server-override',
    title: 'Agent on Windows does not know an API server it can reach',
    severity: 'error',
    plugins: 'Antrea, Flannel ds',
    appliesTo: fleet => antreaSet(fleet) !== undefined || flannelSets(fleet).length > 0,
    run(fleet) {
      const antrea = antreaSet(fleet);
      return [
        ...(antrea ? [antreaOverride(fleet, antrea)] : []),
        ...flannelSets(fleet).map(set => flannelOverride(fleet, set)),
      ].filter(verdict => verdict !== undefined);
    },
    explain: {
      meaning:
        'A pod is given the address of the API server as that of the service kubernetes, a ClusterIP. On a Windows node that address works only once the plugin or kube-proxy has set it up, and the plugin asks the API server before that. So its agent must be told the real address: kubeAPIServerOverride for Antrea, KUBERNETES_SERVICE_HOST for Flannel.',
      why: 'The manifest leaves the value open, and it has to be filled in by hand: it was not, or the ClusterIP was filled in.',
      see: [
        "kubectl -n kube-system get configmap antrea-windows-config -o jsonpath='{.data.antrea-agent\\.conf}'",
        'kubectl -n kube-flannel get daemonset kube-flannel-ds-windows-amd64 -o yaml',
        'kubectl get endpointslices -n default -l kubernetes.io/service-name=kubernetes',
      ],
      fix: [
        'Antrea: set kubeAPIServerOverride: "https://ADDRESS:6443" in antrea-agent.conf of ConfigMap antrea-windows-config, then restart DaemonSet antrea-agent-windows.',
        'Flannel: set KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT in the Windows DaemonSet to the address of the API server.',
      ],
      sources: [
        'https://github.com/antrea-io/antrea/blob/main/docs/windows.md#add-windows-antrea-agent-daemonset',
        'https://github.com/flannel-io/flannel/issues/1772',
      ],
    },
  }),
];

/** Where the agent runs as a service it has a kubeconfig of its own. */
function antreaSet({cluster, subjects}: Fleet): Workload | undefined {
  if (!subjects.some(runs('antrea'))) return undefined;
  return windowsDaemonSets(cluster, /^antrea-agent-windows$/)[0];
}

function flannelSets({cluster, subjects}: Fleet): readonly Workload[] {
  return subjects.some(runs('flannel')) ? windowsDaemonSets(cluster, /flannel/i) : [];
}

function antreaOverride({cluster, subjects}: Fleet, {metadata}: Workload): Verdict | undefined {
  const conf = clusterConf(cluster);
  if (conf === undefined) return unknown('ConfigMap antrea-windows-config was not read.');
  // Without proxyAll it is kube-proxy that makes the ClusterIP work, before the agent starts.
  const withoutKubeProxy = subjects.filter(runs('antrea')).some(({plugin}) => plugin.profile.kubeProxy === 'unwanted');
  if (!withoutKubeProxy || setting(conf, 'kubeconfig')) return undefined;
  const value = setting(conf, 'kubeAPIServerOverride');
  if (value !== undefined && !isService(cluster, value)) return undefined;
  return fail(
    value === undefined
      ? 'kubeAPIServerOverride is not set for Antrea on Windows: without kube-proxy its agent cannot reach the API server when it starts.'
      : `kubeAPIServerOverride for Antrea on Windows is ${value}, the ClusterIP of the API server, which works only after the agent has started.`,
  )
    .because({
      section: 'cluster',
      object: `ConfigMap ${metadata.namespace}/antrea-windows-config`,
      field: 'antrea-agent.conf: kubeAPIServerOverride',
      seen: value ?? null,
      expected: apiServer(cluster) ?? 'the address of the API server',
    })
    .fixedBy(
      manual(
        `kubectl -n ${shellText(metadata.namespace ?? 'kube-system')} edit configmap antrea-windows-config (set kubeAPIServerOverride: "https://${apiServer(cluster) ?? 'ADDRESS:6443'}")`,
        `kubectl -n ${shellText(metadata.namespace ?? 'kube-system')} rollout restart daemonset/antrea-agent-windows`,
      ),
    );
}

function flannelOverride({cluster}: Fleet, set: Workload): Verdict | undefined {
  const containers = set.spec.template.spec.containers.filter(({name, image}) => /flannel/i.test(`${name} ${image}`));
  // A list of variables from a ConfigMap, or a kubeconfig of its own, does the same.
  const isTold = containers.some(
    ({envFrom, command, args}) =>
      (Array.isArray(envFrom) && envFrom.length > 0) ||
      [...command, ...args].some(word => /kubeconfig-file|kube-api-url/.test(word)),
  );
  if (containers.length === 0 || isTold) return undefined;
  const variable = containers.flatMap(({env}) => env).find(({name}) => name === 'KUBERNETES_SERVICE_HOST');
  const value = variable?.value;
  if (variable?.valueFrom || (value && !isService(cluster, value))) return undefined;
  const {namespace = 'kube-flannel', name} = set.metadata;
  const [host, port] = apiServer(cluster)?.split(':') ?? [];
  return fail(
    value
      ? `KUBERNETES_SERVICE_HOST of ${daemonSetName(set)} is ${value}, a ClusterIP that flanneld on Windows cannot reach.`
      : `KUBERNETES_SERVICE_HOST is not set in ${daemonSetName(set)}: flanneld on Windows is given a ClusterIP that it cannot reach.`,
  )
    .because({
      section: 'cluster',
      object: daemonSetName(set),
      field: 'env KUBERNETES_SERVICE_HOST',
      seen: value ?? null,
      expected: host ?? 'the address of the API server',
    })
    .fixedBy(
      manual(
        `kubectl -n ${shellText(namespace)} set env daemonset/${shellText(name)} KUBERNETES_SERVICE_HOST=${host ?? 'ADDRESS'} KUBERNETES_SERVICE_PORT=${port ?? '6443'}`,
      ),
    );
}

/** Whether an address, or a URL, is that of the service `kubernetes`. */
export function isService(cluster: ClusterModel, address: string): boolean {
  const service = cluster.find('Service', 'kubernetes', 'default')?.spec;
  const host = address.replace(/^\w+:\/\//, '').replace(/[:/]\d*.*$/, '');
  return host !== '' && (host === service?.clusterIP || /^kubernetes(\.default|$)/.test(host));
}

/** The API server as the service `kubernetes` finds it. */
export function apiServer(cluster: ClusterModel): string | undefined {
  const slice = cluster.find('EndpointSlice', 'kubernetes', 'default');
  const address = slice?.endpoints[0]?.addresses.find(ip => !ip.includes(':'));
  return address && `${address}:${slice?.ports[0]?.port ?? 6443}`;
}
