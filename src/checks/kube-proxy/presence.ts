import {powerShellText, shellText} from '../../lib/quote.js';
import {type Check, check} from '../../model/check.js';
import {cleanupRemedy, manual} from '../../model/remedies.js';
import {fail, info, unknown} from '../../model/verdict.js';
import {settling} from '../still-starting.js';
import {flagsAreKnown, hasNoProcess, hasProxyInside, kubeProxyOf, notStarted, proxySetting} from './running-proxy.js';

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
            ? `kube-proxy runs on this node (${seen.join(', ')}), but ${plugin.title} replaces it.`
            : `kube-proxy runs on this node (${seen.join(', ')}). ${why}: Services are not reachable from or through this node.`,
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
              ...(pod
                ? ['Exclude Windows nodes from its DaemonSet with the node selector kubernetes.io/os=linux.']
                : []),
              'Remove its load balancers: Get-HnsPolicyList | Remove-HnsPolicyList',
            ),
          );
      }
      if (process || pod || hasProxyInside(subject) || service?.state === 'Running') return undefined;
      const reason = settling(subject);
      if (reason !== undefined) return info(`kube-proxy is not running yet (${reason}).`);
      if (service)
        return fail(
          `Service ${service.name} is ${service.state.toLowerCase()}, so Services are not reachable from this node.`,
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
      return fail('kube-proxy is not running on this node, so Services are not reachable from it.')
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
        'kube-proxy creates HNS load balancers from Service addresses to pods. Most plugins on Windows require it. Antrea 1.13 and newer does this itself, and kube-proxy interferes with it. Kube-OVN does not support kube-proxy on Windows nodes and has no replacement: Services are not reachable from or through Windows nodes.',
      why: 'The default kube-proxy DaemonSet is for Linux. Windows nodes need a separate DaemonSet or a service. After a change of plugin, the old kube-proxy may remain.',
      see: ['Get-Process kube-proxy', 'Get-Service kube-proxy, kubeproxy', 'kubectl -n kube-system get daemonsets'],
      fix: [
        'If kube-proxy is required: install it for Windows, or start its service.',
        'If kube-proxy must not run: stop it, disable its service or exclude Windows nodes from its DaemonSet, then Get-HnsPolicyList | Remove-HnsPolicyList',
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
      if (hns === undefined) return unknown('HNS start time unknown.');
      // At boot, the service or pod of kube-proxy may start before HNS and wait for it: then only a later start of HNS
      // counts.
      const booted = node.os?.bootedAt;
      const restarted = booted !== undefined && hns - booted > 5 * minutes;
      const container = pod?.status?.containerStatuses.find(({state}) => state?.running)?.state?.running;
      const starts = [
        {section: 'processes', at: process?.startedAt},
        {section: 'services', at: restarted ? service?.startedAt : undefined},
        {section: 'cluster', at: restarted ? container?.startedAt : undefined},
      ];
      const {section, at: proxy} = starts.find(({at}) => at !== undefined) ?? {};
      if (section === undefined || proxy === undefined)
        return hasNoProcess(subject) ? notStarted : unknown('kube-proxy start time unknown.');
      if (hns <= proxy) return undefined;
      return fail('HNS started after kube-proxy, so the load balancers of kube-proxy may be lost without it noticing.')
        .because(
          {section: 'hnsService', object: 'hns', field: 'StartedAt', seen: new Date(hns).toISOString()},
          {
            section,
            object: 'kube-proxy',
            field: 'StartTime',
            seen: new Date(proxy).toISOString(),
            expected: `later than ${new Date(hns).toISOString()}`,
          },
        )
        .fixedBy(cleanupRemedy(node));
    },
    explain: {
      meaning:
        'HNS holds the load balancers for Services. After HNS restarts they can be missing, but kube-proxy assumes that they exist. Services then fail without an error.',
      why: 'HNS crashed and Windows restarted it, or it was restarted manually. kube-proxy only applies changes, so lost load balancers stay lost until it restarts.',
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
    title: 'kube-proxy uses the node name',
    failure: 'kube-proxy uses a different node name',
    severity: 'error',
    plugins: 'kube-proxy',
    needs: [],
    appliesTo: ({plugin}) => plugin.profile.kubeProxy === 'needed',
    run(subject) {
      const {node} = subject;
      const set = proxySetting(subject, 'hostnameOverride');
      // Without the flag, kube-proxy uses the machine name in lower case.
      const machine = flagsAreKnown(subject) ? node.os?.hostName?.toLowerCase() : undefined;
      const name = set?.value ?? machine;
      if (name === undefined)
        return hasNoProcess(subject) ? notStarted : unknown('The node name of kube-proxy was not read.');
      if (name.toLowerCase() === node.name.toLowerCase()) return undefined;
      return fail(
        `kube-proxy uses the node name ${name}, but this node is ${node.name}: it treats local pods as remote and breaks their endpoints.`,
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
            'Then delete the pods on this node, so that they get new endpoints.',
          ),
        );
    },
    explain: {
      meaning:
        'kube-proxy uses the node name to tell local pods from remote ones. With a wrong name, it treats local pods as remote, creates remote endpoints with their addresses, and local endpoints are deleted.',
      why: 'The node name can differ from the machine name: cloud providers use longer names, and kubelet can be configured with another one. kube-proxy must be configured with the same name.',
      see: ['(Get-CimInstance Win32_Process -Filter "Name=\'kube-proxy.exe\'").CommandLine', 'kubectl get nodes'],
      fix: [
        'Set --hostname-override, or hostnameOverride in its configuration, to the node name.',
        'Restart kube-proxy, then delete the pods on this node.',
      ],
      sources: ['https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/'],
    },
  }),
];
