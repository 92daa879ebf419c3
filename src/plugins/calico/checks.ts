import {isoTime} from '../../lib/iso-time.js';
import {property, textProperty} from '../../lib/json-properties.js';
import {names} from '../../lib/names.js';
import {shellText} from '../../lib/quote.js';
import {type Check, check, clusterCheck, type Fleet} from '../../model/check.js';
import {runs} from '../../model/plugin.js';
import {cleanupRemedy, manual} from '../../model/remedies.js';
import {fail, unknown, type Verdict} from '../../model/verdict.js';
import {activeConf, confType} from '../../snapshot/cni-conf.js';
import {isSameBoot} from './boot-time.js';
import {calicoObjects, type IpPool, installation, ipPools, specOf} from './resources.js';

export const calicoChecks: readonly Check[] = [
  check({
    id: 'cni/calico-boot-time',
    title: 'Calico was set up after the last boot',
    failure: 'Calico has not been set up since the last boot',
    severity: 'warning',
    repair: {level: 'soft', effect: 'blip', restarts: 'agent'},
    plugins: 'Calico',
    needs: ['registry', 'os'],
    // calico-node records the boot time a minute or two after boot.
    settles: true,
    appliesTo: runs('calico'),
    run({node}) {
      const noted = node.registry.find(
        ({path, name}) => /\\Tigera\\Calico$/i.test(path) && name.toLowerCase() === 'lastboottime',
      )?.value;
      const booted = node.os.bootedAt;
      if (typeof noted !== 'string' || noted === '')
        return unknown('Calico has recorded no boot time in the registry; on RKE2 it never does.');
      if (booted === undefined) return unknown('Boot time unknown.');
      const same = isSameBoot(noted, booted);
      if (same === undefined) return unknown(`LastBootTime in the registry (${noted}) has an unknown format.`);
      if (same) return undefined;
      return fail(
        `Calico last set up this node after the boot at ${noted}, not after the last boot: Felix and kube-proxy wait for it.`,
      )
        .because({
          section: 'registry',
          object: 'HKLM:\\Software\\Tigera\\Calico',
          field: 'LastBootTime',
          seen: noted,
          expected: `the boot, ${isoTime(booted)}, in local time`,
        })
        .fixedBy(cleanupRemedy(node));
    },
    explain: {
      meaning:
        'After each boot Calico removes the old HNS networks, recreates them, and records the boot time in the registry. The other Calico components and kube-proxy wait for that value. It is from an earlier boot, so the setup did not finish.',
      why: 'calico-node did not start, or its setup hangs: no valid address on the adapter, HNS does not respond, or the API server is not reachable.',
      see: [
        '(Get-ItemProperty HKLM:\\Software\\Tigera\\Calico).LastBootTime',
        '(Get-CimInstance Win32_OperatingSystem).LastBootUpTime',
        'kubectl -n calico-system logs -l k8s-app=calico-node-windows -c node',
      ],
      fix: [
        'Read the log of container node (or C:\\CalicoWindows\\logs\\calico-node.log): it shows what calico-node waits for.',
        'Restart calico-node-windows on this node, or the service CalicoNode.',
      ],
      sources: [
        'https://github.com/projectcalico/calico/pull/6761',
        'https://github.com/projectcalico/calico/blob/master/node/windows-packaging/CalicoWindows/libs/calico/calico.psm1',
      ],
    },
  }),

  clusterCheck({
    id: 'cni/calico-ipam',
    title: 'Calico IPAM settings are supported on Windows',
    failure: 'Calico IPAM settings are not supported on Windows',
    severity: 'error',
    plugins: 'Calico',
    appliesTo: ({subjects}) => subjects.some(runs('calico')),
    run: fleet => [...affinity(fleet), ...pools(fleet)],
    explain: {
      meaning:
        'A Windows node can only use addresses from its own blocks, and reaches other nodes over VXLAN or unencapsulated routes only. Either Calico may assign addresses of a Windows block to other nodes (strictAffinity is off), or a pool uses an encapsulation that Windows does not support.',
      why: 'Both are the defaults for Linux and must be changed before Windows nodes join.',
      see: [
        "kubectl get ipamconfigurations default -o jsonpath='{.spec.strictAffinity}'",
        'kubectl get ippools -o custom-columns=NAME:.metadata.name,CIDR:.spec.cidr,IPIP:.spec.ipipMode,VXLAN:.spec.vxlanMode,NODES:.spec.nodeSelector',
      ],
      fix: [
        `kubectl patch ipamconfigurations default --type merge -p '{"spec":{"strictAffinity":true}}'`,
        'Set ipipMode to Never and vxlanMode to Always on the pools of Windows nodes, or give Windows nodes a separate pool with nodeSelector.',
      ],
      sources: [
        'https://docs.tigera.io/calico/latest/getting-started/kubernetes/windows-calico/operator',
        'https://docs.tigera.io/calico/latest/getting-started/kubernetes/windows-calico/limitations',
      ],
    },
  }),
];

export function affinity({cluster, subjects}: Fleet): Verdict[] {
  // With host-local, each node uses its pod CIDR and there are no blocks.
  const ipam = textProperty(property(property(specOf(installation(cluster)), 'cni'), 'ipam'), 'type');
  const confs = subjects.map(({node}) => activeConf(node)).filter(conf => confType(conf) === 'calico');
  if (ipam === 'HostLocal' || (confs.length > 0 && confs.every(conf => conf?.plugins[0]?.ipam === 'host-local')))
    return [];
  const configs = calicoObjects(cluster, 'IPAMConfig', 'IPAMConfiguration').filter(
    ({metadata}) => metadata.name === 'default',
  );
  if (configs.length === 0) return [unknown('The IPAM configuration of Calico was not read.')];
  const config = configs.find(its => property(specOf(its), 'strictAffinity') !== true);
  if (!config) return [];
  const strict = property(specOf(config), 'strictAffinity');
  return [
    fail(
      'strictAffinity is off, so Linux nodes may use addresses from the blocks of Windows nodes; such addresses are unreachable.',
    )
      .because({
        section: 'cluster',
        object: `${config.kind} default`,
        field: 'spec.strictAffinity',
        seen: strict ?? null,
        expected: true,
      })
      .fixedBy(manual(`kubectl patch ipamconfigurations default --type merge -p '{"spec":{"strictAffinity":true}}'`)),
  ];
}

export function pools({cluster, subjects}: Fleet): Verdict[] {
  const overlay = subjects.some(({plugin}) => plugin.name === 'calico' && plugin.variant === 'vxlan');
  const forWindows = ipPools(cluster).filter(({nodeSelector}) => !/linux/i.test(nodeSelector));
  return [
    ...poolVerdict(
      forWindows.filter(({ipip}) => ipip !== 'Never'),
      pool => `IPIP (${pool.ipip})`,
      'Windows does not support IPIP',
    ),
    ...poolVerdict(
      forWindows.filter(({ipip, vxlan}) => ipip === 'Never' && vxlan === 'CrossSubnet'),
      () => 'VXLAN only across subnets (CrossSubnet)',
      'Windows does not support this mode',
    ),
    ...poolVerdict(
      overlay ? forWindows.filter(({ipip, vxlan}) => ipip === 'Never' && vxlan === 'Never') : [],
      () => 'no encapsulation',
      'the Windows nodes of this cluster support only VXLAN',
    ),
  ];
}

function poolVerdict(wrong: readonly IpPool[], uses: (pool: IpPool) => string, why: string): Verdict[] {
  const [first] = wrong;
  if (!first) return [];
  return [
    fail(
      `Pool ${names(wrong.map(({name}) => name))} uses ${uses(first)}, and ${why}: pods on Windows cannot reach its addresses.`,
    )
      .because(
        ...wrong.map(({name, cidr, ipip, vxlan}) => ({
          section: 'cluster',
          object: `IPPool ${name} (${cidr})`,
          field: 'ipipMode, vxlanMode',
          seen: `${ipip}, ${vxlan}`,
          expected: 'Never, Always',
        })),
      )
      .fixedBy(
        manual(
          ...wrong.map(
            ({name}) =>
              `kubectl patch ippool ${shellText(name)} --type merge -p '{"spec":{"ipipMode":"Never","vxlanMode":"Always"}}'`,
          ),
        ),
      ),
  ];
}
