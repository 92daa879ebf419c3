import {type Check, check} from '../../model/check.js';
import {cleanupRemedy} from '../../model/remedies.js';
import {fail, skipped} from '../../model/verdict.js';
import {same} from '../../snapshot/hns.js';

export const externalNetworkChecks: readonly Check[] = [
  check({
    id: 'hns/external-network',
    title: 'HNS network External keeps the switch of Flannel',
    failure: 'HNS network External of Flannel is missing',
    severity: 'warning',
    repair: {level: 'medium', effect: 'cut', restarts: 'nothing'},
    plugins: 'Flannel as a service, overlay',
    needs: ['hnsNetworks', 'services'],
    appliesTo: ({plugin}) => plugin.name === 'flannel' && plugin.variant === 'vxlan',
    run({node, plugin}) {
      const {switchKeeper} = plugin.profile;
      if (switchKeeper === undefined) return skipped('flanneld is not a service here.');
      if (node.hnsNetworks.some(({name}) => same(name, switchKeeper))) return undefined;
      return fail(
        'HNS network External is missing: each time flanneld recreates its network, the node briefly loses its address.',
      )
        .because({section: 'hnsNetworks', object: 'External', seen: null, expected: 'Overlay, 192.168.255.0/30'})
        .fixedBy(cleanupRemedy(node, {cuts: true}));
    },
    explain: {
      meaning:
        'Flannel as a service uses an overlay network External, which is created once per host and carries no pods. It keeps the virtual switch, and with it the node address, while flanneld recreates its own network.',
      why: 'The setup script creates it once. It was removed manually, by setup_windowsnode.ps1 -Reset true, or by another plugin that removes all networks when it starts (for example Calico).',
      see: ['Get-HnsNetwork | Select-Object Name, Type, Subnets', 'Get-VMSwitch -SwitchType External'],
      fix: [
        'kubectl win cleanup NODE',
        "With console access: New-HnsNetwork -Type Overlay -AddressPrefix '192.168.255.0/30' -Gateway '192.168.255.1' -SubnetPolicies @(@{Type='VSID'; VSID=9999}) -AdapterName ADAPTER -Name 'External' (hns.psm1 from microsoft/SDN)",
        'If more than this network is damaged: kubectl win cleanup NODE --level=hard stops kube-proxy and flanneld, removes the overlay networks and External, recreates External, and starts both services again.',
        'setup_windowsnode.ps1 -Reset true removes the same networks and also deletes the services flanneld, kubelet and kubeproxy; a run without -Reset installs them again. cleanup deletes no service: without kubelet the node leaves the cluster.',
      ],
      sources: [
        'https://github.com/swapnil-nirmata/windows-nodes/blob/HEAD/README.md',
        'https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/helper.psm1',
      ],
    },
  }),
];
