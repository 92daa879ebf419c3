import type {ClientStep, ClientStepName} from '../../model/step.js';
import {type AccessNeed, need} from '../../session/rights.js';

type StepNeeds = {readonly [Name in ClientStepName]: (step: Extract<ClientStep, {do: Name}>) => readonly AccessNeed[]};

const cordon = () => [need('repair', 'patch nodes')];

const needsByStep: StepNeeds = {
  'node.cordon': cordon,
  'node.uncordon': cordon,
  'node.drain': () => [need('look', 'list pods'), need('repair', 'get pods'), need('repair', 'create pods/eviction')],
  'pod.delete': ({with: {namespace, awaits}}) => [
    need('repair', 'get pods', {namespace}),
    need('repair', 'delete pods', {namespace}),
    // To see that the new one is ready.
    ...(awaits ? [need('look', 'list pods')] : []),
  ],
};

/** The access that a client step requires. Without it a plan would stop halfway and leave the node half repaired. */
export function clientStepNeeds(step: ClientStep): readonly AccessNeed[] {
  // Each function matches the parameters of its step, but TypeScript cannot infer that from the table.
  return (needsByStep[step.do] as StepNeeds[ClientStepName])(step as never);
}

/** The access that every repair requires, for the lock on the Node and the audit trail. */
export const repairNeeds = (): readonly AccessNeed[] => [
  need('repair', 'get nodes'),
  need('repair', 'patch nodes'),
  need('repair', 'create events', {namespace: 'default'}),
];
