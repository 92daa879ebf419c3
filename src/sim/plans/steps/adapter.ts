import type {With} from '../../../model/step.js';
import {at} from '../../json.js';
import {editRows} from '../../node/edit.js';
import {rows} from '../../node/state.js';
import {
  adapterNamed,
  addRoute,
  hasRoute,
  missingAddresses,
  networkState,
  removeRoute,
  renewLease,
  restoreAddresses,
  type Store,
  savedAddresses,
} from '../saved-network.js';
import {blocked, type Host, type StepKind, same} from '../step.js';

/** As PowerShell prints booleans. */
const truth = (value: boolean): string => (value ? 'True' : 'False');

const noAdapter = (name: string) => blocked(`Adapter ${name} does not exist.`);

export const setBindingStep: StepKind<'adapter.setBinding'> = {
  atBoot: false,
  inspect({state}, parameters) {
    const about = `Binding ${parameters.componentId} of adapter ${parameters.adapter}`;
    const binding = rows(state, 'adapterBindings').find(row => isMeant(row, parameters));
    if (!binding) return blocked(`${about} does not exist.`);
    const isOn = binding.Enabled === true;
    return {
      done: isOn === parameters.enabled,
      saved: {enabled: isOn},
      about: `${about} is enabled: ${truth(isOn)}.`,
    };
  },
  apply: (host, parameters) => setBinding(host, parameters, parameters.enabled),
  undo(host, parameters, saved) {
    // HNS binds vms_pp itself.
    if (saved != null && parameters.componentId !== 'vms_pp')
      setBinding(host, parameters, at(saved, 'enabled') === true);
  },
};

const isMeant = (row: Record<string, unknown>, {adapter, componentId}: With<'adapter.setBinding'>): boolean =>
  same(row.Name, adapter) && row.ComponentID === componentId;

function setBinding({state}: Host, parameters: With<'adapter.setBinding'>, enabled: boolean): void {
  editRows(
    state,
    'adapterBindings',
    row => isMeant(row, parameters),
    () => ({Enabled: enabled}),
  );
}

export const addRouteStep: StepKind<'route.add'> = {
  atBoot: true,
  inspect({state}, parameters) {
    const {destination, nextHop, adapter: name} = parameters;
    const adapter = adapterNamed(state, name);
    if (!adapter) return noAdapter(name);
    const there = hasRoute(state, adapter, parameters, 'ActiveStore');
    const persistent = hasRoute(state, adapter, parameters, 'PersistentStore');
    return {
      done: there,
      saved: {interfaceIndex: adapter.InterfaceIndex, persistent},
      about: `Route ${destination} via ${nextHop} on ${name} exists: ${truth(there)}.`,
    };
  },
  apply({state}, {destination, nextHop, adapter: name, metric = 256}, saved) {
    const adapter = adapterNamed(state, name);
    if (adapter) addRoute(state, adapter, {destination, nextHop, metric}, missingStores(saved));
  },
  undo({state}, {destination, nextHop}, saved) {
    if (saved != null) removeRoute(state, at(saved, 'interfaceIndex'), {destination, nextHop}, missingStores(saved));
  },
};

/** New-NetRoute writes to both stores. A route that was persistent before the step is not the step's to remove. */
const missingStores = (saved: unknown): Store[] =>
  at(saved, 'persistent') === true ? ['ActiveStore'] : ['ActiveStore', 'PersistentStore'];

/** No undo: a lease is not a setting of the node. */
export const renewStep: StepKind<'ip.renew'> = {
  atBoot: false,
  inspect({state}, {adapter: name}) {
    const adapter = adapterNamed(state, name);
    if (!adapter) return noAdapter(name);
    const isOn = (row: Record<string, unknown>) => row.InterfaceIndex === adapter.InterfaceIndex;
    const asks = rows(state, 'netIPInterfaces').some(
      row => isOn(row) && row.AddressFamily === 'IPv4' && row.Dhcp === 'Enabled',
    );
    const leased = rows(state, 'netIPAddresses').some(
      row => isOn(row) && row.PrefixOrigin === 'Dhcp' && row.AddressState === 'Preferred',
    );
    return {
      done: leased,
      about: `Adapter ${name} has a lease: ${truth(leased)}.`,
      ...(!asks && {blocked: `Adapter ${name} has no DHCP.`}),
    };
  },
  apply(host, {adapter: name}) {
    const adapter = adapterNamed(host.state, name);
    if (adapter) renewLease(host, adapter);
  },
  undo: 'none',
};

/** No undo: a rollback restores the addresses. */
export const restoreStep: StepKind<'ip.restore'> = {
  atBoot: true,
  inspect({state, folder}, {from, to}) {
    const wanted = savedAddresses(folder?.network ?? networkState(state), from);
    if (wanted.length === 0) return blocked(`No address of adapter ${from} was saved when the plan began.`);
    if (!adapterNamed(state, to)) return noAdapter(to);
    const missing = missingAddresses(state, wanted, to);
    return {
      done: missing.length === 0,
      about: `${missing.length} of ${wanted.length} addresses of ${from} are missing on ${to}.`,
    };
  },
  apply(host, {from, to}) {
    if (host.folder?.network) restoreAddresses(host, host.folder.network, from, to);
  },
  undo: 'none',
};
