import {ovsExtension} from '../../checks/ovs/extension-ids.js';
import type {PlanStep} from '../../model/step.js';
import type {Endpoint, Network} from '../../snapshot/hns.js';
import type {Service} from '../../snapshot/sections.js';

// Steps as plugins' cleanups write them: what, and why here. Whether a step cuts is derived later.

/** Agents take a while: they talk to the API server before they make a network. */
const patience = 300;

export const removeEndpoint = ({id}: Endpoint, why: string): PlanStep => ({do: 'hns.removeEndpoint', with: {id}, why});

/** `endpoints`: those that may be attached and go with the network, as the plan has told. */
export function removeNetwork({id, name}: Network, endpoints: readonly Endpoint[], why: string): PlanStep {
  const ids = endpoints.map(endpoint => endpoint.id).sort();
  return {do: 'hns.removeNetwork', with: {id, name, ...(ids.length > 0 && {endpoints: ids})}, why};
}

/** The address of the node comes back with the vNIC, which takes up to 45 s to appear (flannel waits as long). */
export const createExternalNetwork = (adapter: string, why: string): PlanStep[] => [
  {do: 'hns.createExternal', with: {adapter}, why},
  {
    do: 'wait.until',
    with: {until: 'adapter', name: `vEthernet (${adapter})`, present: true},
    why: 'The node address is on it from now on.',
    timeoutSeconds: 60,
  },
];

export function removePolicyLists(ids: readonly string[] | undefined, why: string): PlanStep {
  return {do: 'hns.removePolicyLists', with: ids ? {ids: [...ids].sort()} : {}, why};
}

export const removeFile = (path: string, why: string): PlanStep => ({do: 'file.remove', with: {path}, why});

export const deleteBridge = (bridge: string, why: string): PlanStep => ({do: 'ovs.deleteBridge', with: {bridge}, why});

export const startService = ({name}: Service, why: string): PlanStep => ({do: 'service.start', with: {name}, why});

export const stopService = ({name}: Service, why: string): PlanStep => ({do: 'service.stop', with: {name}, why});

/** A service that does not run is started: there is nothing to stop. */
export function restartService(service: Service, why: string): PlanStep {
  return service.state === 'Stopped'
    ? startService(service, why)
    : {do: 'service.restart', with: {name: service.name}, why};
}

export const awaitNetwork = (name: string): PlanStep => ({
  do: 'wait.until',
  with: {until: 'hnsNetwork', name, present: true},
  why: 'The agent creates it some time after it has started.',
  timeoutSeconds: patience,
});

export const awaitOvsExtension = (switchName: string, why: string): PlanStep => ({
  do: 'wait.until',
  with: {until: 'extension', switchName, extensionId: ovsExtension, enabled: true},
  why,
  timeoutSeconds: patience,
});

export const setOvsExtension = (switchName: string, enabled: boolean, why: string): PlanStep => ({
  do: 'vswitch.setExtension',
  with: {switchName, extensionId: ovsExtension, enabled},
  why,
});
