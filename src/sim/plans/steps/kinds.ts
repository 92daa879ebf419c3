import type {PlanStep, StepName} from '../../../model/step.js';
import type {Host, StepInspection, StepKind} from '../step.js';
import {addRouteStep, renewStep, restoreStep, setBindingStep} from './adapter.js';
import {removeFileStep, removeValueStep} from './file.js';
import {allowStep} from './firewall.js';
import {createExternalStep, removeEndpointStep, removeNetworkStep, removePolicyListsStep} from './hns.js';
import {deleteBridgeStep} from './ovs.js';
import {restartServiceStep, startServiceStep, stopServiceStep} from './service.js';
import {removeNicStep, removeSwitchStep, setExtensionStep} from './switch.js';
import {waitStep} from './wait.js';

const kinds: {[Name in StepName]: StepKind<Name>} = {
  'ovs.deleteBridge': deleteBridgeStep,
  'hns.removeNetwork': removeNetworkStep,
  'hns.createExternal': createExternalStep,
  'hns.removeEndpoint': removeEndpointStep,
  'hns.removePolicyLists': removePolicyListsStep,
  'vswitch.remove': removeSwitchStep,
  'vswitch.setExtension': setExtensionStep,
  'vnic.remove': removeNicStep,
  'adapter.setBinding': setBindingStep,
  'service.start': startServiceStep,
  'service.stop': stopServiceStep,
  'service.restart': restartServiceStep,
  'file.remove': removeFileStep,
  'registry.removeValue': removeValueStep,
  'firewall.allow': allowStep,
  'route.add': addRouteStep,
  'ip.renew': renewStep,
  'ip.restore': restoreStep,
  'wait.until': waitStep,
};

// The kind of a step matches its parameters, but TypeScript cannot infer that from the table.
const kindOf = ({do: name}: PlanStep) => kinds[name] as unknown as StepKind<StepName>;

export const inspectStep = (host: Host, step: PlanStep, saved: unknown): StepInspection =>
  kindOf(step).inspect(host, step.with as never, saved);

export const applyStep = (host: Host, step: PlanStep, saved: unknown): void =>
  kindOf(step).apply(host, step.with as never, saved);

export const hasUndo = (step: PlanStep): boolean => kindOf(step).undo !== 'none';

/** Steps with IDs are excluded: a reboot changes IDs. */
export const isForEveryBoot = (step: PlanStep): boolean =>
  kindOf(step).atBoot && !('ids' in step.with && step.with.ids !== undefined);

export function undoStep(host: Host, step: PlanStep, saved: unknown): void {
  const {undo} = kindOf(step);
  if (undo !== 'none') undo(host, step.with as never, saved);
}
