import {type NodeStep, stepParameters, type With} from '../../model/step.js';
import {extensionName} from './switch-steps.js';

/** What an agent creates together with the switch that carries the node's address. */
const comesWithSwitch: Readonly<Record<With<'wait.until'>['until'], boolean>> = {
  hnsNetwork: true,
  extension: true,
  adapter: true,
  service: false,
  address: false,
  tcp: false,
};

export const waitUntil: NodeStep<'wait.until'> = {
  name: 'wait.until',
  parameters: stepParameters['wait.until'],
  words: condition => ({
    changes: `Waits until ${conditionText(condition)}.`,
    requires: 'None.',
    verifies: 'The condition holds.',
  }),
  undo: undefined,
  // The step itself changes nothing, but the agent it waits for does.
  cuts: ({until}, network) => network.beingRemade && comesWithSwitch[until],
  dependsOn: () => [],
  refuses: () => undefined,
  losesEndpoints: () => [],
  atBoot: () => true,
};

/** The condition as a clause. */
export function conditionText(until: With<'wait.until'>): string {
  switch (until.until) {
    case 'service':
      return `service ${until.name} is ${until.state.toLowerCase()}`;
    case 'hnsNetwork':
      return `HNS network ${until.name} ${until.present ? 'exists' : 'is gone'}`;
    case 'adapter':
      return `adapter ${until.name} ${until.present ? 'exists' : 'is gone'}`;
    case 'address':
      return `the node has address ${until.address}`;
    case 'tcp':
      return `${until.target} can be reached`;
    case 'extension':
      return `${extensionName(until.extensionId)} of switch ${until.switchName} is ${until.enabled ? 'enabled' : 'disabled'}`;
  }
}
