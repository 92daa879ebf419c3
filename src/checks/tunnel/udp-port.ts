import {names} from '../../lib/names.js';
import {shellText} from '../../lib/quote.js';
import {type Check, clusterCheck, type Fleet, type NodeSubject} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown, type Verdict} from '../../model/verdict.js';
import {felixSetting} from '../../plugins/calico/resources.js';
import {clusterNetConfs} from '../../plugins/flannel/net-conf.js';
import {netConfPatch} from '../../plugins/flannel/patch.js';
import {podNetwork} from '../networks.js';

const windowsPort = 4789;
/** What flanneld on Linux takes where nobody set a port (flannel pkg/backend/vxlan). */
const linuxDefault = 8472;
const server2019 = 17_763;

export const udpPortChecks: readonly Check[] = [
  clusterCheck({
    id: 'tunnel/udp-port',
    title: 'Tunnel ports of Windows and Linux nodes differ',
    severity: 'error',
    plugins: 'vxlan CNIs, Antrea',
    appliesTo: ({subjects}) => subjects.some(({plugin}) => plugin.profile.tunnel !== undefined),
    run(fleet) {
      const judges = {flannel: judgeFlannel, calico: judgeCalico, 'ovn-kubernetes': judgeHybrid, antrea: judgeAntrea};
      return Object.entries(judges).flatMap(([name, judge]) => {
        const subjects = fleet.subjects.filter(({plugin}) => plugin.name === name && plugin.profile.tunnel);
        return subjects.length > 0 ? judge({...fleet, subjects}) : [];
      });
    },
    explain: {
      meaning:
        'Nodes send pod traffic to each other in UDP packets, to one port. The two sides use different ports, so what one sends the other never takes in.',
      why: 'Windows sends VXLAN to port 4789; on Server 2019 nothing else is possible. Flannel on Linux uses 8472 unless told otherwise, and a net-conf.json without a port means 8472 there and 4789 here. For Antrea the two ConfigMaps, one for Linux and one for Windows, have to say the same.',
      see: [
        "kubectl -n kube-flannel get configmap kube-flannel-cfg -o jsonpath='{.data.net-conf\\.json}'",
        "kubectl get felixconfigurations default -o jsonpath='{.spec.vxlanPort}'",
        "kubectl get networks.operator.openshift.io cluster -o jsonpath='{.spec.defaultNetwork.ovnKubernetesConfig.hybridOverlayConfig}'",
        'Get-HnsNetwork | Select-Object Name, Policies',
      ],
      fix: [
        'Flannel: set "Port": 4789 under Backend in net-conf.json, and restart flanneld on every node.',
        'Calico: set spec.vxlanPort of FelixConfiguration default to 4789.',
        'OpenShift: take hybridOverlayVXLANPort out, or replace the Server 2019 nodes.',
        'Antrea: give antrea-config and antrea-windows-config the same tunnelType and tunnelPort.',
        'Let UDP 4789 (geneve: 6081) through between all nodes, in the rules of the cloud too.',
      ],
      sources: [
        'https://github.com/flannel-io/flannel/blob/master/Documentation/backends.md#vxlan',
        'https://github.com/openshift/windows-machine-config-operator/issues/340',
        'https://github.com/antrea-io/antrea/blob/main/docs/windows.md',
      ],
    },
  }),
];

function judgeFlannel({cluster}: Fleet): Verdict[] {
  const confs = clusterNetConfs(cluster).filter(({type}) => type === 'vxlan');
  if (confs.length === 0) return [unknown('No net-conf.json of Flannel was found in the cluster, which has the port.')];
  const wrong = confs.filter(({port, forWindows}) => port !== windowsPort && !(forWindows && port === undefined));
  return wrong.map(conf => {
    const port = conf.port ?? linuxDefault;
    const unset = conf.port === undefined ? ', the default of Linux,' : '';
    return fail(
      `${conf.source} makes nodes use UDP ${port}${unset} for VXLAN, but Windows only uses ${windowsPort}: the two never meet.`,
    )
      .because({
        section: 'cluster',
        object: conf.source,
        field: 'net-conf.json Backend.Port',
        seen: conf.port ?? null,
        expected: windowsPort,
      })
      .fixedBy(
        manual(
          netConfPatch(conf, cluster) ?? 'Set "Port": 4789 under Backend in net-conf.json.',
          'Restart flanneld on every node, and let UDP 4789 through between them.',
        ),
      );
  });
}

export function judgeCalico({cluster}: Fleet): Verdict[] {
  const port = felixSetting(cluster, undefined, 'vxlanPort');
  if (typeof port !== 'number' || port === windowsPort) return [];
  return [
    fail(`Calico is set to UDP ${port} for VXLAN, but Windows nodes use ${windowsPort}.`)
      .because({
        section: 'cluster',
        object: 'FelixConfiguration default',
        field: 'spec.vxlanPort',
        seen: port,
        expected: windowsPort,
      })
      .fixedBy(
        manual(
          `kubectl patch felixconfiguration default --type merge -p '{"spec":{"vxlanPort":${windowsPort}}}'`,
          'Let UDP 4789 through between all nodes.',
        ),
      ),
  ];
}

function judgeHybrid({subjects}: Fleet): Verdict[] {
  const hybrid = subjects.filter(({plugin}) => plugin.profile.tunnel?.protocol === 'vxlan');
  const port = hybrid[0]?.plugin.profile.tunnel?.port ?? windowsPort;
  const old = port === windowsPort ? [] : hybrid.filter(subject => buildOf(subject) === server2019);
  const differing = hybrid.flatMap(({node, plugin}) => {
    const network = podNetwork(node, plugin.profile.network);
    const own = network && (network.vxlanPort ?? windowsPort);
    return own !== undefined && own !== port ? [{node: node.name, network: network?.name ?? '', own}] : [];
  });
  return [
    ...(old.length > 0
      ? [
          fail(
            `The hybrid overlay is set to UDP ${port}, which Server 2019 cannot do: ${names(old.map(({node}) => node.name))} can never join it.`,
          )
            .because({
              section: 'cluster',
              object: 'Network cluster',
              field: 'hybridOverlayVXLANPort',
              seen: port,
              expected: `${windowsPort}, or nodes with Server 2022`,
            })
            .fixedBy(
              manual('Replace these nodes with Server 2022 ones: the port of a running cluster cannot be changed.'),
            ),
        ]
      : []),
    ...differing.map(({node, network, own}) =>
      fail(`HNS network ${network} of ${node} uses UDP ${own}, but the overlay is on ${port}.`)
        .because({section: 'hnsNetworks', object: `${node}: ${network}`, field: 'VxlanPort', seen: own, expected: port})
        .fixedBy(
          manual(
            `kubectl win cleanup ${shellText(node)}`,
            'hybrid-overlay-node makes the network anew with the right port.',
          ),
        ),
    ),
  ];
}

function buildOf({node, object}: NodeSubject): number | undefined {
  return node.os?.build ?? (Number(object?.status?.nodeInfo?.kernelVersion?.split('.')[2]) || undefined);
}

function judgeAntrea({cluster}: Fleet): Verdict[] {
  const conf = (name: string) =>
    cluster.all('ConfigMap').find(({metadata}) => metadata.name === name)?.data['antrea-agent.conf'];
  const [linux, windows] = [conf('antrea-config'), conf('antrea-windows-config')];
  if (linux === undefined || windows === undefined) return [];
  // Both default to geneve, and to the protocol's own port where tunnelPort is 0 or not set.
  const value = (text: string, key: string) =>
    (new RegExp(`^[ \\t]*${key}:[ \\t]*["']?([\\w-]*)`, 'm').exec(text)?.[1] ?? '').replace(/^(0|geneve)$/, '');
  return ['tunnelType', 'tunnelPort']
    .filter(key => value(linux, key) !== value(windows, key))
    .map(key =>
      fail(
        `${key} is ${value(windows, key) || 'the default'} for Windows nodes and ${value(linux, key) || 'the default'} for Linux nodes, so they have no tunnel between them.`,
      )
        .because(
          {section: 'cluster', object: 'ConfigMap antrea-windows-config', field: key, seen: value(windows, key)},
          {section: 'cluster', object: 'ConfigMap antrea-config', field: key, seen: value(linux, key)},
        )
        .fixedBy(
          manual(
            'kubectl -n kube-system edit configmap antrea-windows-config',
            `Set ${key} as in ConfigMap antrea-config, then: kubectl -n kube-system rollout restart daemonset antrea-agent-windows`,
          ),
        ),
    );
}
