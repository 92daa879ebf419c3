import type {NodeSubject} from '../../model/check.js';
import type {
  AgentRestart,
  ApiStep,
  ApiSteps,
  ClientStep,
  ClientStepName,
  Dependency,
  NodeStep,
  NodeSteps,
  OwnNetwork,
  PlanStep,
  StepName,
  StepWords,
} from '../../model/step.js';
import type {Endpoint, Network} from '../../snapshot/hns.js';
import {adapterSetBinding, ipRenew, ipRestore, routeAdd} from './adapter-steps.js';
import {nodeCordon, nodeDrain, nodeUncordon, podDelete} from './client-steps.js';
import {fileRemove, registryRemoveValue} from './file-steps.js';
import {firewallAllow} from './firewall-steps.js';
import {hnsCreateExternal, hnsRemoveEndpoint, hnsRemoveNetwork, hnsRemovePolicyLists} from './hns-steps.js';
import {ovsDeleteBridge} from './ovs-steps.js';
import {serviceRestart, serviceStart, serviceStop} from './service-steps.js';
import {vnicRemove, vswitchRemove, vswitchSetExtension} from './switch-steps.js';
import {waitUntil} from './wait-steps.js';

/** All steps that a node can run. */
export const nodeSteps: NodeSteps = {
  'ovs.deleteBridge': ovsDeleteBridge,
  'hns.removeNetwork': hnsRemoveNetwork,
  'hns.createExternal': hnsCreateExternal,
  'hns.removeEndpoint': hnsRemoveEndpoint,
  'hns.removePolicyLists': hnsRemovePolicyLists,
  'vswitch.remove': vswitchRemove,
  'vswitch.setExtension': vswitchSetExtension,
  'vnic.remove': vnicRemove,
  'adapter.setBinding': adapterSetBinding,
  'service.start': serviceStart,
  'service.stop': serviceStop,
  'service.restart': serviceRestart,
  'file.remove': fileRemove,
  'registry.removeValue': registryRemoveValue,
  'firewall.allow': firewallAllow,
  'route.add': routeAdd,
  'ip.renew': ipRenew,
  'ip.restore': ipRestore,
  'wait.until': waitUntil,
};

/** All steps of the client. */
const apiSteps: ApiSteps = {
  'node.cordon': nodeCordon,
  'node.drain': nodeDrain,
  'pod.delete': podDelete,
  'node.uncordon': nodeUncordon,
};

// The object of a step matches its parameters; TypeScript cannot infer that through the tables.
const nodeObject = ({do: name}: PlanStep) => nodeSteps[name] as unknown as NodeStep<StepName>;
const apiObject = ({do: name}: ClientStep) => apiSteps[name] as unknown as ApiStep<ClientStepName>;
const isOfNode = (step: PlanStep | ClientStep): step is PlanStep => Object.hasOwn(nodeSteps, step.do);

export interface Description extends StepWords {
  readonly undo: string | undefined;
}

export function describe(step: PlanStep | ClientStep): Description {
  const object = isOfNode(step) ? nodeObject(step) : apiObject(step);
  return {...object.words(step.with as never), undo: object.undo};
}

export const cutsOwnNetwork = (step: PlanStep, network: OwnNetwork): boolean =>
  nodeObject(step).cuts(step.with as never, network);

export const cutsByAgent = (step: ClientStep, agent: AgentRestart): boolean =>
  apiObject(step).cuts(step.with as never, agent);

export const dependenciesOf = (step: PlanStep | ClientStep, subject: NodeSubject): readonly Dependency[] =>
  (isOfNode(step) ? nodeObject(step) : apiObject(step)).dependsOn(step.with as never, subject);

export const refusalOf = (step: PlanStep, subject: NodeSubject, left: readonly Network[]): string | undefined =>
  nodeObject(step).refuses(step.with as never, subject, left);

export const clientRefusalOf = (step: ClientStep, subject: NodeSubject): string | undefined =>
  apiObject(step).refuses(step.with as never, subject);

export const endpointsLostBy = (step: PlanStep, subject: NodeSubject): readonly Endpoint[] =>
  nodeObject(step).losesEndpoints(step.with as never, subject);

export const isForEveryBoot = (step: PlanStep): boolean => nodeObject(step).atBoot(step.with as never);

/** Whether a rollback can undo a step; false for steps that this client does not know. */
export const hasUndo = (name: string): boolean =>
  Object.hasOwn(nodeSteps, name) && nodeSteps[name as StepName].undo !== undefined;
