import {powerShellText, shellText} from '../../lib/quote.js';
import {type Check, check} from '../../model/check.js';
import {cleanup, manual} from '../../model/remedies.js';
import {fail, info, unknown} from '../../model/verdict.js';
import {settling} from '../still-starting.js';
import {flagsAreKnown, hasProxyInside, kubeProxyOf, proxyRuns, proxySetting} from './proxy.js';

const minutes = 60_000;

export const presenceChecks: readonly Check[] = [
  check({
    id: 'kube-proxy/expected',
    title: 'kube-proxy runs only where it is required',
    failure: 'kube-proxy is missing, or runs where it must not',
    severity: 'warning',
    needs: ['services', 'processes'],
    consequenceOf: ['hns/network-present', 'cluster/node-conditions'],
    appliesTo: ({plugin}) => plugin.profile.kubeProxy !== 'either',
    run(subject) {
      const {node, plugin} = subject;
      const {process, service, pod} = kubeProxyOf(subject);
      if (plugin.profile.kubeProxy === 'unwanted') {
        const seen = [
          process && 'a process',
          service?.state === 'Running' && `service ${service.name}`,
          pod && `Pod ${pod.metadata.name}`,
        ].filter(Boolean);
        if (seen.length === 0) return undefined;
        const why = plugin.profile.servicesUnsupported;
        return fail(
          why === undefined
            ? `kube-proxy runs on this node (${seen.join(', ')}), but ${plugin.title} does its work itself.`
            : `kube-proxy runs on this node (${seen.join(', ')}). ${why}: no Service can be reached from or through this node.`,
        )
          .because({
            section: process ? 'processes' : service ? 'services' : 'cluster',
            object: 'kube-proxy',
            seen,
            expected: 'no kube-proxy',
          })
          .fixedBy(
            manual(
              ...(service
                ? [
                    `Stop-Service ${powerShellText(service.name)}; Set-Service ${powerShellText(service.name)} -StartupType Disabled`,
                  ]
                : []),
              ...(pod ? ['Keep its DaemonSet off Windows nodes, with the node selector kubernetes.io/os=linux.'] : []),
              'Remove what it left: Get-HnsPolicyList | Remove-HnsPolicyList',
            ),
          );
      }
      if (process || pod || hasProxyInside(subject) || service?.state === 'Running') return undefined;
      const reason = settling(subject);
      if (reason !== undefined) return info(`kube-proxy does not run yet (${reason}).`);
      if (service)
        return fail(
          `Service ${service.name} is ${service.state.toLowerCase()}, so no Service of the cluster can be reached from here.`,
        )
          .as('error')
          .because({
            section: 'services',
            object: service.name,
            field: 'State',
            seen: service.state,
            expected: 'Running',
          })
          .fixedBy(manual(`Start-Service ${powerShellText(service.name)}`, 'If it stops again, read its log.'));
      return fail('kube-proxy does not run on this node, so no Service of the cluster can be reached from it.')
        .as('error')
        .because({
          section: 'processes',
          object: 'kube-proxy',
          seen: null,
          expected: 'a process, started by a service or a pod',
        })
        .fixedBy(
          manual(
            `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellText(node.name)}`,
            'Install kube-proxy for Windows nodes: the DaemonSet of your plugin, or a service.',
          ),
        );
    },
    explain: {
      meaning:
        'kube-proxy turns the addresses of Services into those of pods, as load balancers in HNS. Most plugins on Windows need it. Antrea from 1.13 on does this itself, and kube-proxy interferes with it. Kube-OVN does not support kube-proxy on Windows nodes and has nothing in its place: Services cannot be reached from or through them.',
      why: 'The DaemonSet of kube-proxy that clusters bring is for Linux; Windows nodes need one of their own, or a service. After a change of plugin the old kube-proxy may still be there.',
      see: ['Get-Process kube-proxy', 'Get-Service kube-proxy, kubeproxy', 'kubectl -n kube-system get daemonsets'],
      fix: [
        'Where it is needed: install kube-proxy for Windows, or start its service.',
        'Where it must not be: stop it, disable its service or keep its DaemonSet off Windows nodes, then Get-HnsPolicyList | Remove-HnsPolicyList',
      ],
      sources: [
        'https://github.com/antrea-io/antrea/blob/main/docs/windows.md',
        'https://github.com/kubeovn/kube-ovn/blob/v1.10.0/docs/windows-support.md',
        'https://kubernetes.io/docs/concepts/services-networking/windows-networking/',
      ],
    },
  }),

  check({
    id: 'kube-proxy/older-than-hns',
    title: 'kube-proxy started after HNS',
    failure: 'HNS has restarted since kube-proxy started',
    severity: 'warning',
    repair: {level: 'soft', effect: 'none', restarts: 'kube-proxy'},
    plugins: 'all with kube-proxy',
    needs: [],
    consequenceOf: ['hns/crash'],
    appliesTo: ({plugin}) => plugin.profile.kubeProxy === 'needed',
    run(subject) {
      const {node} = subject;
      const {process, service, pod} = kubeProxyOf(subject);
      const hns =
        node.hnsService?.startedAt ??
        node.services?.find(({name}) => name.toLowerCase() === 'hns')?.startedAt ??
        node.processes?.find(its => its.service?.toLowerCase() === 'hns')?.startedAt;
      if (hns === undefined) return unknown('When HNS started was not read.');
      // A service or a pod may have begun to wait for HNS before HNS came up at boot: only a later start of HNS counts then.
      const booted = node.os?.bootedAt;
      const restarted = booted !== undefined && hns - booted > 5 * minutes;
      const wrapper = restarted
        ? (service?.startedAt ??
          pod?.status?.containerStatuses.find(({state}) => state?.running)?.state?.running?.startedAt)
        : undefined;
      const proxy = process?.startedAt ?? wrapper;
      if (proxy === undefined)
        return proxyRuns(subject) === false ? undefined : unknown('kube-proxy start time unknown.');
      if (hns <= proxy) return undefined;
      return fail(
        'HNS has started after kube-proxy, so the load balancers that kube-proxy made may be gone, and it does not notice.',
      )
        .because(
          {section: 'hnsService', object: 'hns', field: 'StartedAt', seen: new Date(hns).toISOString()},
          {
            section: process ? 'processes' : 'services',
            object: 'kube-proxy',
            field: 'StartTime',
            seen: new Date(proxy).toISOString(),
            expected: `later than ${new Date(hns).toISOString()}`,
          },
        )
        .fixedBy(cleanup(node));
    },
    explain: {
      meaning:
        'HNS holds the load balancers that make Services work. When it restarts, they can be gone, while kube-proxy believes that they are there. Services then fail for no visible reason.',
      why: 'HNS crashed and Windows started it again, or someone restarted it. kube-proxy only writes what changes, so what was lost stays lost until it restarts.',
      see: [
        '(Get-Process -Id (Get-CimInstance Win32_Service -Filter "Name=\'hns\'").ProcessId).StartTime',
        '(Get-Process kube-proxy).StartTime',
      ],
      fix: ['Restart kube-proxy: Restart-Service kubeproxy, or delete its pod on this node.'],
      sources: [
        'https://github.com/kubernetes/kubernetes/issues/135802',
        'https://github.com/Azure/AgentBaker/tree/master/staging/cse/windows',
      ],
    },
  }),

  check({
    id: 'kube-proxy/hostname-override',
    title: 'kube-proxy uses the name of the node',
    failure: 'kube-proxy uses a different node name',
    severity: 'error',
    plugins: 'kube-proxy',
    needs: [],
    appliesTo: ({plugin}) => plugin.profile.kubeProxy === 'needed',
    run(subject) {
      const {node} = subject;
      const set = proxySetting(subject, 'hostnameOverride');
      // Without the flag kube-proxy takes the name of the machine, in lower case.
      const machine = flagsAreKnown(subject) ? node.os?.hostName?.toLowerCase() : undefined;
      const name = set?.value ?? machine;
      if (name === undefined) return unknown('The node name of kube-proxy was not read.');
      if (name.toLowerCase() === node.name.toLowerCase()) return undefined;
      return fail(
        `kube-proxy believes that it runs on ${name}, but this node is ${node.name}: it takes the pods here for remote ones and breaks their endpoints.`,
      )
        .because({
          ...(set?.evidence ?? {
            section: 'os',
            object: 'kube-proxy without --hostname-override',
            field: 'CSName',
            seen: name,
          }),
          expected: node.name,
        })
        .fixedBy(
          manual(
            `Start kube-proxy with --hostname-override=${shellText(node.name)}`,
            'Then delete the pods of this node, so that they get new endpoints.',
          ),
        );
    },
    explain: {
      meaning:
        'kube-proxy tells the pods of its own node from those of others by the name of the node. With a wrong name it takes local pods for remote ones, makes remote endpoints with their addresses, and local ones get deleted.',
      why: 'The name of a node need not be that of the machine: clouds give longer ones, and kubelet can be configured with another. kube-proxy must be configured with the same name.',
      see: ['(Get-CimInstance Win32_Process -Filter "Name=\'kube-proxy.exe\'").CommandLine', 'kubectl get nodes'],
      fix: [
        'Set --hostname-override, or hostnameOverride in its configuration, to the name of the node.',
        'Restart kube-proxy, then delete the pods of this node.',
      ],
      sources: ['https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/'],
    },
  }),
];
