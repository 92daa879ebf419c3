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
  refuses({name, protocol, port}) {
    if (!mayOpen(protocol, port))
      return `${protocol} ${port} is not a port of the kubelet or of a tunnel, so it is not opened.`;
    return name === ruleName(protocol, port)
      ? undefined
      : `The firewall rule for ${protocol} ${port} has another name than kubectl win gives it.`;
  },
  takes: () => [],
  // The rule outlives boots.
  atBoot: () => false,
};

/** The kubelet, and the tunnels of network plugins, as helper/plan/rules.ps1 has them: STT, VXLAN, Geneve, Flannel's and OVN's own. */
const openable: Readonly<Record<'TCP' | 'UDP', readonly number[]>> = {
  TCP: [7471, 10250],
  UDP: [4789, 4790, 6081, 8472, 9898],
};

/** Whether a plan may open a port. All others are for a person to open. */
export const mayOpen = (protocol: 'TCP' | 'UDP', port: number): boolean => openable[protocol].includes(port);

/** Windows takes wildcards in names of rules, so a plan cannot choose its own. */
export const ruleName = (protocol: 'TCP' | 'UDP', port: number): string => `kubectl-win-${protocol}-${port}`;
