import type {With} from '../../../model/step.js';
import {adapterNamed} from '../saved-network.js';
import {answered, type Host, StepError, type StepInspection, type StepKind, same} from '../step.js';
import {serviceNamed} from './service.js';
import {extensionOn} from './switch.js';

const truth = (value: boolean): string => (value ? 'True' : 'False');

/** Changes nothing; its verification is the wait. While the condition cannot be determined, the wait continues. */
export const waitStep: StepKind<'wait.until'> = {
  atBoot: true,
  undo: 'none',
  inspect(host, condition) {
    try {
      return evaluateCondition(host, condition);
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      return {done: false, about: `It cannot be determined yet: ${error.message}`};
    }
  },
  apply: () => {},
};

/** Throws if the condition cannot be determined. */
export function evaluateCondition({state, unreachable}: Host, condition: With<'wait.until'>): StepInspection {
  switch (condition.until) {
    case 'service': {
      const {name, state: wanted} = condition;
      return {done: serviceNamed(state, name)?.State === wanted, about: `Service ${name} is to be ${wanted}.`};
    }
    case 'hnsNetwork': {
      const there = answered(state, 'hnsNetworks').some(({Name}) => same(Name, condition.name));
      return {done: there === condition.present, about: `HNS network ${condition.name} exists: ${truth(there)}.`};
    }
    case 'adapter': {
      const there = adapterNamed(state, condition.name) !== undefined;
      return {done: there === condition.present, about: `Adapter ${condition.name} exists: ${truth(there)}.`};
    }
    case 'address': {
      const there = answered(state, 'netIPAddresses').some(({IPAddress}) => IPAddress === condition.address);
      return {done: there, about: `Address ${condition.address} exists: ${truth(there)}.`};
    }
    case 'tcp': {
      const failure = unreachable();
      return {
        done: failure === undefined,
        about: `${condition.target} is reachable: ${failure === undefined}. ${failure ?? ''}`,
      };
    }
    case 'extension': {
      const {switchName, extensionId, enabled} = condition;
      const isOn = extensionOn(state, switchName, extensionId)?.Enabled === true;
      return {
        done: isOn === enabled,
        about: `Extension ${extensionId} of switch ${switchName} is enabled: ${truth(isOn)}.`,
      };
    }
  }
}
