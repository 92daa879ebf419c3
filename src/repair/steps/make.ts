import {ovsExtension} from '../../checks/ovs/extension-ids.js';
import type {PlanStep} from '../../model/step.js';
import type {Endpoint, Network} from '../../snapshot/hns.js';
import type {Service} from '../../snapshot/sections.js';

// Constructors of steps for the plugins' cleanups. Whether a step cuts the network is derived later.

/** Agents contact the API server before they create a network. */
const agentStartSeconds = 300;

export const removeEndpoint = ({id}: Endpoint, why: string): PlanStep => ({do: 'hns.removeEndpoint', with: {id}, why});

/** `endpoints`: attached endpoints that are removed with the network; the plan lists them. */
export function removeNetwork({id, name}: Network, endpoints: readonly Endpoint[], why: string): PlanStep {
  const ids = endpoints.map(endpoint => endpoint.id).sort();
  return {do: 'hns.removeNetwork', with: {id, name, ...(ids.length > 0 && {endpoints: ids})}, why};
}

/** The node's address is available again with the vNIC, which may take up to 45 s to appear (flannel waits as long). */
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

export function restartService(service: Service, why: string): PlanStep {
  return service.state === 'Stopped'
    ? startService(service, why)
    : {do: 'service.restart', with: {name: service.name}, why};
}

export const awaitNetwork = (name: string): PlanStep => ({
  do: 'wait.until',
  with: {until: 'hnsNetwork', name, present: true},
  why: 'The agent creates it some time after it has started.',
  timeoutSeconds: agentStartSeconds,
});

export const awaitOvsExtension = (switchName: string, why: string): PlanStep => ({
  do: 'wait.until',
  with: {until: 'extension', switchName, extensionId: ovsExtension, enabled: true},
  why,
  timeoutSeconds: agentStartSeconds,
});

export const setOvsExtension = (switchName: string, enabled: boolean, why: string): PlanStep => ({
  do: 'vswitch.setExtension',
  with: {switchName, extensionId: ovsExtension, enabled},
  why,
});
