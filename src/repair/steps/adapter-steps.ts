import {nicOf} from '../../checks/net/adapters.js';
import {type NodeStep, stepParameters} from '../../model/step.js';
import {sameCidr} from '../../snapshot/addresses.js';
import {same} from '../../snapshot/hns.js';
import {sitsOnNic} from '../node/address-carrier.js';
import {absent, enabledState} from './dependency.js';

export const adapterSetBinding: NodeStep<'adapter.setBinding'> = {
  name: 'adapter.setBinding',
  parameters: stepParameters['adapter.setBinding'],
  words: ({adapter, componentId, enabled}) => ({
    changes: `${enabled ? 'Enables' : 'Disables'} the binding ${componentId} of ${adapter}.`,
    requires: 'The adapter has this binding.',
    verifies: `The binding is ${enabled ? 'enabled' : 'disabled'}.`,
  }),
  undo: 'Restores the previous setting; vms_pp is left to HNS.',
  cuts: ({adapter}, network) => network.isOnAdapter(adapter),
  dependsOn({adapter, componentId}, {node}) {
    const found = node.adapterBindings?.find(its => same(its.adapter, adapter) && its.component === componentId);
    return [[`binding ${componentId} of ${adapter}`, enabledState(found)]];
  },
  refuses({adapter, componentId, enabled}, {node}, left) {
    if (componentId !== 'vms_pp' || enabled) return undefined;
    const user = left.find(network => sitsOnNic(network) && same(nicOf(node, network)?.name ?? '', adapter));
    return user && `${adapter} carries HNS network ${user.name}, so it stays bound to its switch.`;
  },
  losesEndpoints: () => [],
  atBoot: () => false,
};

export const routeAdd: NodeStep<'route.add'> = {
  name: 'route.add',
  parameters: stepParameters['route.add'],
  words: ({destination, nextHop, adapter}) => ({
    changes: `Adds a route to ${destination} via ${nextHop} on ${adapter}.`,
    requires: 'The adapter exists.',
    verifies: 'The route exists.',
  }),
  undo: 'Removes the route.',
  cuts: () => false,
  dependsOn({destination, adapter}, {node}) {
    const found = node.netRoutes?.filter(({prefix, persistent}) => !persistent && sameCidr(prefix, destination)) ?? [];
    const ways = found.map(({nextHop, adapter: its}) => `via ${nextHop} on ${its}`);
    return [[`route ${destination} (on ${adapter})`, ways.sort().join(', ') || absent]];
  },
  refuses({destination, nextHop}) {
    const [, length = ''] = destination.split('/');
    // A plan must not redirect large parts of the address space: routes to pods, Services and hosts have longer
    // prefixes.
    if (Number(length) < (destination.includes(':') ? 16 : 8))
      return `A route to ${destination} has a wider prefix than a plan may add.`;
    const isNone = /^(0\.|127\.|22[4-9]\.|2[3-5]\d\.)/.test(nextHop) || nextHop === '::' || nextHop === '::1';
    return isNone ? `${nextHop} is not a next hop.` : undefined;
  },
  losesEndpoints: () => [],
  atBoot: () => true,
};

export const ipRenew: NodeStep<'ip.renew'> = {
  name: 'ip.renew',
  parameters: stepParameters['ip.renew'],
  words: ({adapter}) => ({
    changes: `Renews the DHCP lease of ${adapter}.`,
    requires: 'The adapter exists and uses DHCP.',
    verifies: 'It has a leased address.',
  }),
  undo: undefined,
  cuts: ({adapter}, network) => network.isOnAdapter(adapter),
  // A plan that cuts the network depends on all addresses of the node anyway.
  dependsOn: () => [],
  // It only renews an existing lease; if it cuts the network, the reachability check covers it.
  refuses: () => undefined,
  losesEndpoints: () => [],
  // Which adapter has the lease depends on the state after the boot.
  atBoot: () => false,
};

export const ipRestore: NodeStep<'ip.restore'> = {
  name: 'ip.restore',
  parameters: stepParameters['ip.restore'],
  words: ({from, to}) => ({
    changes:
      from === to
        ? `Restores the addresses, routes and DNS servers that ${to} had at the start of the plan.`
        : `Sets on ${to} the addresses, routes and DNS servers that ${from} had at the start of the plan.`,
    requires: 'They were saved, and the adapter exists.',
    verifies: 'All addresses are on it.',
  }),
  undo: undefined,
  cuts: ({from, to}, network) => network.isOnAdapter(from) || network.isOnAdapter(to),
  // The node saves what it restores when the plan begins; a plan that cuts the network depends on the node's addresses
  // anyway.
  dependsOn: () => [],
  // It can only restore what the node itself has saved.
  refuses: () => undefined,
  losesEndpoints: () => [],
  atBoot: () => true,
};
