import type {With} from '../../../model/step.js';
import {rows} from '../../node/state.js';
import {adapterNamed} from '../saved-network.js';
import {type Host, type Inspection, type StepKind, same} from '../step.js';
import {serviceNamed} from './service.js';
import {extensionOn} from './switch.js';

const truth = (value: boolean): string => (value ? 'True' : 'False');

/** Acts on nothing: its verification is the wait. */
export const waitStep: StepKind<'wait.until'> = {atBoot: true, inspect: look, apply: () => {}, undo: 'none'};

function look({state, unreachable}: Host, condition: With<'wait.until'>): Inspection {
  switch (condition.until) {
    case 'service': {
      const {name, state: wanted} = condition;
      return {done: serviceNamed(state, name)?.State === wanted, about: `Service ${name} is to be ${wanted}.`};
    }
    case 'hnsNetwork': {
      const there = rows(state, 'hnsNetworks').some(({Name}) => same(Name, condition.name));
      return {done: there === condition.present, about: `HNS network ${condition.name} exists: ${truth(there)}.`};
    }
    case 'adapter': {
      const there = adapterNamed(state, condition.name) !== undefined;
      return {done: there === condition.present, about: `Adapter ${condition.name} exists: ${truth(there)}.`};
    }
    case 'address': {
      const there = rows(state, 'netIPAddresses').some(({IPAddress}) => IPAddress === condition.address);
      return {done: there, about: `Address ${condition.address} exists: ${truth(there)}.`};
    }
    case 'tcp': {
      const failure = unreachable();
      return {done: failure === undefined, about: `${condition.target} is to be reached. ${failure ?? ''}`};
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
