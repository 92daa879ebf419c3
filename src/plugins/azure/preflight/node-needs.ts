import {nodeAddressHolder} from '../../../checks/net/adapters.js';
import {prerequisite, sameAs} from '../../../checks/prerequisites/prerequisite.js';
import {powerShellText} from '../../../lib/quote.js';
import type {Installation} from '../../../model/plugin-preflight.js';
import {manual, manualCutting} from '../../../model/remedies.js';
import {fail, unknown} from '../../../model/verdict.js';
import {cniConfs, confType} from '../../../snapshot/cni-conf.js';
import {same} from '../../../snapshot/hns.js';
import {nameOf, runtimeFolders} from '../../../snapshot/paths.js';
import {stateChecks} from '../state-checks.js';

const releases = 'https://github.com/Azure/azure-container-networking/releases';

/** AKS creates it when it provisions a node; elsewhere it must be created manually. */
export const externalNetwork = (target: Installation) =>
  prerequisite(target, 'external-network', {
    title: 'HNS network ext, which keeps the switch while azure is recreated',
    advised: true,
    needs: ['hnsNetworks', 'nodeObject'],
    run({node, object}) {
      if (node.hnsNetworks.some(({name}) => same(name, 'ext'))) return undefined;
      const adapter = nodeAddressHolder(node, object)?.adapter ?? 'ADAPTER';
      return fail('HNS network ext is missing: the node loses its address each time Azure CNI recreates its network.')
        .because({section: 'hnsNetworks', object: 'ext', seen: null, expected: 'L2Bridge, 192.168.255.0/30'})
        .fixedBy(
          manualCutting(
            'Import-Module C:\\k\\hns.psm1 (from microsoft/SDN)',
            `New-HnsNetwork -Type L2Bridge -AddressPrefix '192.168.255.0/30' -Gateway '192.168.255.1' -AdapterName ${powerShellText(adapter)} -Name 'ext'`,
          ),
        );
    },
    explain: {
      meaning:
        'HNS network ext is on the adapter of the node and carries no pods. It keeps the virtual switch, and with it the node address, while the network azure is recreated.',
      why: 'AKS creates it when it provisions a node. On other nodes it must be created manually.',
      see: ['Get-HnsNetwork | Select-Object Name, Type, Subnets'],
      fix: ['Create it with console access: the node address moves to a virtual adapter.'],
      sources: ['https://github.com/Azure/AgentBaker/blob/master/staging/cse/windows/azurecnifunc.ps1'],
    },
  });

export const cniProgram = (target: Installation) =>
  prerequisite(target, 'program', {
    title: 'azure-vnet.exe is in the CNI folder of the runtime',
    needs: ['files'],
    run({node}) {
      const [folder = 'C:\\k\\azurecni\\bin'] = runtimeFolders(node).bin;
      if (node.files.some(({path, exists}) => exists && nameOf(path) === 'azure-vnet.exe')) return undefined;
      return fail(`azure-vnet.exe is not in ${folder}: no pod can be connected.`)
        .because({section: 'files', object: folder, seen: null, expected: 'azure-vnet.exe'})
        .fixedBy(manual(`Download azure-vnet-cni-windows-amd64 from ${releases} and extract it to ${folder}.`));
    },
    explain: {
      meaning: 'The container runtime starts azure-vnet.exe for each pod. It is missing.',
      why: 'It was not copied, or bin_dir in config.toml is another folder.',
      see: ['Get-ChildItem C:\\k\\azurecni\\bin, C:\\opt\\cni\\bin -ErrorAction Ignore'],
      fix: [`Download azure-vnet-cni-windows-amd64 from ${releases}.`],
    },
  });

export const cniConfiguration = (target: Installation) =>
  prerequisite(target, 'conf', {
    title: 'CNI configuration of type azure-vnet',
    needs: ['files'],
    run({node}) {
      if (cniConfs(node).some(conf => confType(conf) === 'azure-vnet')) return undefined;
      const folder = runtimeFolders(node).conf;
      if (folder === undefined && cniConfs(node).length === 0)
        return unknown('The CNI folder of the runtime is unknown.').fixedBy(manual(`See ${target.guide}`));
      return fail('The node has no CNI configuration of type azure-vnet.')
        .because({section: 'files', object: folder ?? 'CNI folder', field: 'type', seen: null, expected: 'azure-vnet'})
        .fixedBy(manual(`Copy 10-azure.conflist of the release to ${folder ?? 'C:\\k\\azurecni\\netconf'}.`));
    },
    explain: {
      meaning:
        'A file in the CNI folder tells the container runtime which plugin to run. No file there is for azure-vnet.',
      why: 'The file was not copied, or conf_dir in config.toml is another folder.',
      see: ['Get-ChildItem C:\\k\\azurecni\\netconf, C:\\etc\\cni\\net.d -ErrorAction Ignore'],
      fix: ['Copy 10-azure.conflist of the release to the CNI folder.'],
    },
  });

export const cleanState = (target: Installation) =>
  sameAs(
    target,
    'state',
    'cni/azure-state',
    {title: 'No state file of Azure CNI from an earlier installation'},
    stateChecks,
  );
