import {type NodeStep, stepParameters, type With} from '../../model/step.js';
import {extensionName} from './switch-steps.js';

/** What an agent that makes the switch under the node's address brings. */
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
    requires: 'Nothing.',
    verifies: 'It is so.',
  }),
  undo: undefined,
  // It acts on nothing, but the agent that it waits for does.
  cuts: ({until}, network) => network.beingRemade && comesWithSwitch[until],
  // It changes nothing.
  dependsOn: () => [],
  refuses: () => undefined,
  takes: () => [],
  atBoot: () => true,
};

/** What is waited for, as a clause. */
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
      return `${extensionName(until.extensionId)} of switch ${until.switchName} is ${until.enabled ? 'on' : 'off'}`;
  }
}
