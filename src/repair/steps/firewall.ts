import {type NodeStep, stepParameters} from '../../model/step.js';
import {onOrOff} from './dependency.js';

export const firewallAllow: NodeStep<'firewall.allow'> = {
  name: 'firewall.allow',
  parameters: stepParameters['firewall.allow'],
  words: ({name, protocol, port}) => ({
    changes: `Allows inbound ${protocol} ${port}, with firewall rule ${name}.`,
    requires: 'No other rule has this name.',
    verifies: 'The rule exists and is on.',
  }),
  undo: 'Removes the rule.',
  cuts: () => false,
  dependsOn: ({name}, {node}) => [
    [`firewall rule ${name}`, onOrOff(node.firewall?.rules.find(rule => rule.name === name))],
  ],
  // It takes nothing away, and its undo removes it again.
  refuses: () => undefined,
  takes: () => [],
  // The rule outlives boots.
  atBoot: () => false,
};
