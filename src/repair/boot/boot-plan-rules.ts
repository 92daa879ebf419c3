import * as z from 'zod/mini';
import {bootPlanShape} from '../../model/boot-plan.js';
import {planStep} from '../../model/step.js';
import {isForEveryBoot} from '../steps/all.js';

/** A boot plan that contains only steps allowed at boot. `helper/plan/boot-plan.ps1` enforces the same rule. */
export const bootPlan = z.extend(bootPlanShape, {
  steps: z
    .array(planStep.check(z.refine(isForEveryBoot, {message: 'is not a step for every boot'})))
    .check(z.minLength(1), z.maxLength(50)),
});
