import {type NodeStep, stepParameters} from '../../model/step.js';
import {enabledState} from './dependency.js';

export const firewallAllow: NodeStep<'firewall.allow'> = {
  name: 'firewall.allow',
  parameters: stepParameters['firewall.allow'],
  words: ({name, protocol, port}) => ({
    changes: `Allows inbound ${protocol} ${port}, with firewall rule ${name}.`,
    requires: 'No other rule has this name.',
    verifies: 'The rule exists and is enabled.',
  }),
  undo: 'Removes the rule.',
  cuts: () => false,
  dependsOn: ({name}, {node}) => [
    [`firewall rule ${name}`, enabledState(node.firewall?.rules.find(rule => rule.name === name))],
  ],
  refuses({name, protocol, port}) {
    if (!mayOpen(protocol, port))
      return `${protocol} ${port} is not a port of the kubelet or of a tunnel, so it is not opened.`;
    return name === ruleName(protocol, port)
      ? undefined
      : `The firewall rule for ${protocol} ${port} does not have the name that kubectl win uses.`;
  },
  losesEndpoints: () => [],
  // The rule persists across boots.
  atBoot: () => false,
};

/**
 * Ports of the kubelet and of tunnels, as in helper/plan/rules.ps1: STT, VXLAN, Geneve, and those specific to Flannel
 * and OVN.
 */
const openable: Readonly<Record<'TCP' | 'UDP', readonly number[]>> = {
  TCP: [7471, 10250],
  UDP: [4789, 4790, 6081, 8472, 9898],
};

/** Whether a plan may open a port. Other ports must be opened manually. */
export const mayOpen = (protocol: 'TCP' | 'UDP', port: number): boolean => openable[protocol].includes(port);

/** Fixed, because Windows interprets wildcards in rule names. */
export const ruleName = (protocol: 'TCP' | 'UDP', port: number): string => `kubectl-win-${protocol}-${port}`;
