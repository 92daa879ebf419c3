import {type Check, clusterCheck, type Fleet} from '../../model/check.js';
import type {Verdict} from '../../model/verdict.js';
import type {ClusterModel} from '../../snapshot/cluster.js';

export const apiServerOverrideChecks: readonly Check[] = [
  clusterCheck({
    id: 'cni/api-server-override',
    title: 'Agent is configured with a reachable API server',
    failure: 'Agent has no API server address that it can reach',
    severity: 'error',
    plugins: 'Antrea, Flannel as a DaemonSet',
    appliesTo: fleet => askPlugins(fleet) !== undefined,
    run: askPlugins,
    explain: {
      meaning:
        'By default a pod reaches the API server through the ClusterIP of the kubernetes Service. On a Windows node that address works only after the plugin or kube-proxy has set it up, but the plugin needs the API server before that. So its agent must be configured with the real address: kubeAPIServerOverride for Antrea, KUBERNETES_SERVICE_HOST for Flannel.',
      why: 'The value is empty in the manifest. It was not set, or it was set to the ClusterIP.',
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

function askPlugins(fleet: Fleet): readonly Verdict[] | undefined {
  const answers = fleet.known.flatMap(own => {
    const subjects = fleet.subjects.filter(({plugin}) => plugin.name === own.name);
    return subjects.length > 0 ? [own.acrossNodes.apiServerOverride({...fleet, subjects})] : [];
  });
  const known = answers.filter(answer => answer !== undefined);
  return known.length > 0 ? known.flat() : undefined;
}

/** Whether an address or URL is that of the Service `kubernetes`. */
export function isService(cluster: ClusterModel, address: string): boolean {
  const service = cluster.find('Service', 'kubernetes', 'default')?.spec;
  const host = address.replace(/^\w+:\/\//, '').split(/[:/]/, 1)[0] ?? '';
  return host !== '' && (host === service?.clusterIP || /^kubernetes(\.default|$)/.test(host));
}

/** The API server address from the endpoints of the Service `kubernetes`. */
export function apiServer(cluster: ClusterModel): string | undefined {
  const slice = cluster.find('EndpointSlice', 'kubernetes', 'default');
  const address = slice?.endpoints[0]?.addresses.find(ip => !ip.includes(':'));
  return address && `${address}:${slice?.ports[0]?.port ?? 6443}`;
}
