import {type Check, check} from '../../model/check.js';
import {cleanupRemedy} from '../../model/remedies.js';
import {fail, unknown} from '../../model/verdict.js';
import {type Network, same} from '../../snapshot/hns.js';
import type {NodeModel} from '../../snapshot/node.js';
import {isVirtual, nicOf, nicUnder} from './adapters.js';

export const switchBindingChecks: readonly Check[] = [
  check({
    id: 'net/orphan-switch-binding',
    title: 'Network adapters are bound to existing switches',
    failure: 'Network adapter is bound to a switch that does not exist',
    severity: 'error',
    repair: {level: 'medium', effect: 'cut', restarts: 'agent'},
    needs: ['adapterBindings', 'netAdapters'],
    run({node}) {
      if (!node.vmSwitches && !node.hnsNetworks)
        return unknown('Neither switches nor HNS networks could be read, so the users of NICs are unknown.');
      const orphans = node.adapterBindings
        .filter(({component, enabled}) => component === 'vms_pp' && enabled)
        .filter(({adapter}) => !hasSwitch(node, adapter));
      if (orphans.length > 0 && !node.hnsNetworks)
        return unknown(`HNS networks could not be read, so it is unknown whether one uses ${orphans[0]?.adapter}.`);
      return orphans.map(({adapter}) =>
        fail(`${adapter} is bound to a virtual switch that does not exist: it carries no traffic.`)
          .because(
            {section: 'adapterBindings', object: adapter, field: 'vms_pp', seen: true, expected: false},
            {
              section: 'hnsNetworks',
              object: adapter,
              field: 'NetworkAdapterName',
              seen: null,
              expected: 'a network on it',
            },
          )
          .fixedBy(cleanupRemedy(node, {cuts: true})),
      );
    },
    explain: {
      meaning:
        'On a NIC that a virtual switch uses, the binding vms_pp is enabled and TCP/IP is disabled. The switch no longer exists but the binding is still enabled, so the node has no network through this NIC.',
      why: 'A network or switch was only partly removed, because of a crash, a power loss, or an interrupted script.',
      see: ['Get-NetAdapterBinding -ComponentID vms_pp | Where-Object Enabled', 'Get-VMSwitch', 'Get-HnsNetwork'],
      fix: [
        'On the console: Set-NetAdapterBinding -Name NIC -ComponentID vms_pp -Enabled $false',
        'Then ipconfig /renew, or set the static address again with New-NetIPAddress.',
      ],
      sources: ['https://github.com/antrea-io/antrea/blob/main/hack/windows/Clean-AntreaNetwork.ps1'],
    },
  }),
];

/** Whether a switch or network uses a NIC. In doubt yes, because the repair of this finding cuts the network. */
function hasSwitch(node: NodeModel, nicName: string): boolean {
  const nic = node.netAdapters?.find(({name}) => same(name, nicName));
  const external = node.vmSwitches?.filter(({type}) => type === undefined || same(type, 'External')) ?? [];
  // A switch on a NIC team has a description that matches none of the NICs.
  const isTeam = external.some(
    ({adapterDescription: its}) => !node.netAdapters?.some(({description}) => description === its),
  );
  if (isTeam || external.some(({adapterDescription: its}) => its !== undefined && its === nic?.description))
    return true;
  const networks = (node.hnsNetworks ?? []).filter(isOnNic);
  if (networks.some(network => same(nicOf(node, network)?.name ?? '', nicName))) return true;
  if (networks.some(network => network.adapterName === undefined && nicOf(node, network) === undefined)) return true;
  return (node.netAdapters ?? []).some(
    adapter => isVirtual(adapter) && same(nicUnder(node, adapter)?.name ?? '', nicName) && adapter.status === 'Up',
  );
}

function isOnNic({type}: Network): boolean {
  return /^(overlay|l2bridge|l2tunnel|transparent)$/i.test(type);
}
