import {describe, expect, test} from 'vitest';
import {planStep} from '../../../src/model/step.js';
import {bootPlan} from '../../../src/repair/boot/boot-plan-rules.js';
import {describe as describeStep, hasUndo, isForEveryBoot, nodeSteps} from '../../../src/repair/steps/all.js';
import {isForEveryBoot as simulatorLetsBoot, hasUndo as simulatorUndoes} from '../../../src/sim/plans/steps/kinds.js';
import {allSteps, nodeForEveryStep} from '../../helper/every-step.js';

const steps = allSteps(nodeForEveryStep());

describe.each(steps)('$do', step => {
  test('is registered under its own name, with valid parameters', () => {
    expect(nodeSteps[step.do].name).toBe(step.do);
    expect(planStep.parse(step)).toEqual(step);
  });

  test('is described in whole sentences', () => {
    const {changes, requires, verifies, undo} = describeStep(step);
    for (const text of [changes, requires, verifies, undo ?? 'None.']) expect(text).toMatch(/^[A-Z].*\.$/);
  });

  test('has an undo in the simulation exactly if it declares one', () => {
    expect(simulatorUndoes(step)).toBe(hasUndo(step.do));
  });

  test('may run at boot in the simulation exactly if it declares so', () => {
    expect(simulatorLetsBoot(step)).toBe(isForEveryBoot(step));
  });
});

test('an unknown step has no undo', () => {
  expect(hasUndo('toString')).toBe(false);
});

test('a boot plan contains no step with an ID that a boot changes, and none that removes a network', () => {
  const inBootPlan = (step: unknown) =>
    bootPlan.safeParse({
      apiVersion: 'kubectl-win/v1',
      kind: 'BootPlan',
      node: 'winapp-01',
      title: 'a test',
      createdAt: '2026-03-12T08:00:00Z',
      unless: [{until: 'hnsNetwork', name: 'antrea-hnsnetwork', present: true}],
      settleSeconds: 180,
      steps: [step],
      deadMan: {address: '10.21.40.61', apiServer: '10.21.40.11:6443', withinSeconds: 300},
    }).success;
  const ids = ['77777777-3333-4444-5555-666666666666'];
  expect(inBootPlan({do: 'hns.removePolicyLists', with: {}})).toBe(true);
  expect(inBootPlan({do: 'hns.removePolicyLists', with: {ids}})).toBe(false);
  expect(inBootPlan({do: 'hns.removeEndpoint', with: {id: ids[0]}})).toBe(false);
  expect(inBootPlan({do: 'vswitch.remove', with: {name: 'x'}})).toBe(false);
});
