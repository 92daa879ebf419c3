import {nodeAddressHolder} from '../../checks/net/adapters.js';
import {powerShellText} from '../../lib/quote.js';
import {type Check, check} from '../../model/check.js';
import {manualCutting} from '../../model/remedies.js';
import {fail, skipped} from '../../model/verdict.js';
import {same} from '../../snapshot/hns.js';

export const externalNetworkChecks: readonly Check[] = [
  check({
    id: 'hns/external-network',
    title: 'HNS network External keeps the switch of Flannel',
    failure: 'HNS network External of Flannel is missing',
    severity: 'warning',
    plugins: 'Flannel as a service, overlay',
    needs: ['hnsNetworks', 'services'],
    appliesTo: ({plugin}) => plugin.name === 'flannel' && plugin.variant === 'vxlan',
    run({node, object}) {
      // A HostProcess pod of Flannel does without it.
      if (!node.services.some(({name}) => same(name, 'flanneld'))) return skipped('flanneld is not a service here.');
      if (node.hnsNetworks.some(({name}) => same(name, 'External'))) return undefined;
      const holder = nodeAddressHolder(node, object)?.adapter ?? 'ADAPTER';
      const adapter = /^vEthernet \((.+)\)$/.exec(holder)?.[1] ?? holder;
      return fail(
        'HNS network External is missing: each time flanneld recreates its network, the node briefly loses its address.',
      )
        .because({section: 'hnsNetworks', object: 'External', seen: null, expected: 'Overlay, 192.168.255.0/30'})
        .fixedBy(
          manualCutting(
            'Import-Module C:\\k\\hns.psm1 (of microsoft/SDN)',
            `New-HnsNetwork -Type Overlay -AddressPrefix '192.168.255.0/30' -Gateway '192.168.255.1' -SubnetPolicies @(@{Type='VSID'; VSID=9999}) -AdapterName ${powerShellText(adapter)} -Name 'External'`,
          ),
        );
    },
    explain: {
      meaning:
        'Flannel as a service uses an overlay network External, which is created once per host and carries no pods. It keeps the virtual switch, and with it the node address, while flanneld removes and creates its own network.',
      why: 'The setup script creates it once. It was removed manually, by setup_windowsnode.ps1 -Reset true, or by another plugin that removes all networks when it starts (for example Calico).',
      see: ['Get-HnsNetwork | Select-Object Name, Type, Subnets', 'Get-VMSwitch -SwitchType External'],
      fix: [
        'With console access: New-HnsNetwork -Type Overlay -AddressPrefix 192.168.255.0/30 -Gateway 192.168.255.1 -Name External (hns.psm1 of microsoft/SDN)',
        'Or run the setup script again: setup_windowsnode.ps1 -Reset true stops and deletes the services flanneld, kubelet and kubeproxy and removes the overlay networks; a run without -Reset installs them again.',
      ],
      sources: [
        'https://github.com/swapnil-nirmata/windows-nodes/blob/HEAD/README.md',
        'https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/helper.psm1',
      ],
    },
  }),
];
