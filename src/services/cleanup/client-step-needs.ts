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

/** What a step of the client takes: a plan that stops for the lack of it would leave a node half repaired. */
export function clientStepNeeds(step: ClientStep): readonly AccessNeed[] {
  // The function of a step fits its parameters; TypeScript cannot follow that through the table.
  return (needsByStep[step.do] as StepNeeds[ClientStepName])(step as never);
}

/** What every repair takes: the lock on the Node, and the trail of what is changed. */
export const repairNeeds = (): readonly AccessNeed[] => [
  need('repair', 'get nodes'),
  need('repair', 'patch nodes'),
  need('repair', 'create events', {namespace: 'default'}),
];
