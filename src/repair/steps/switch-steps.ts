import {ovsExtension} from '../../checks/ovs/extension-ids.js';
import type {NodeSubject} from '../../model/check.js';
import {type Dependency, type NodeStep, stepParameters} from '../../model/step.js';
import {same} from '../../snapshot/hns.js';
import {whySwitchStays} from '../node/ownership.js';
import {absent, enabledState} from './dependency.js';

export const vswitchRemove: NodeStep<'vswitch.remove'> = {
  name: 'vswitch.remove',
  parameters: stepParameters['vswitch.remove'],
  words: ({name}) => ({
    changes: `Removes switch ${name}.`,
    requires: 'No HNS network with its name exists.',
    verifies: 'The switch does not exist.',
  }),
  // HNS creates its own switches: a manually created one would block it.
  undo: undefined,
  cuts: ({name}, network) => network.removeSwitch(name),
  dependsOn: ({name}, subject) => [switchDependency(subject, name)],
  refuses: ({name}, subject, left) => whySwitchStays(subject, name, left),
  // It is refused while a network uses the switch, and endpoints are removed with their network.
  losesEndpoints: () => [],
  atBoot: () => false,
};

export const vswitchSetExtension: NodeStep<'vswitch.setExtension'> = {
  name: 'vswitch.setExtension',
  parameters: stepParameters['vswitch.setExtension'],
  words: ({switchName, extensionId, enabled}) => ({
    changes: `${enabled ? 'Enables' : 'Disables'} ${extensionName(extensionId)} of switch ${switchName}.`,
    requires: 'The switch has this extension.',
    verifies: `The extension is ${enabled ? 'enabled' : 'disabled'}.`,
  }),
  undo: 'Restores the previous setting; enables OVS only if its bridge exists.',
  cuts: (parameters, network) => network.setExtension(parameters),
  dependsOn({switchName, extensionId}, {node}) {
    const found = node.vmSwitchExtensions?.find(
      row => same(row.id, extensionId) && same(row.switchName ?? '', switchName),
    );
    return [[`extension ${found?.name ?? extensionId} on ${switchName}`, enabledState(found)]];
  },
  refuses: ({switchName, enabled}, {plugin}) =>
    !enabled || same(switchName, plugin.profile.network?.name ?? '')
      ? undefined
      : `Switch ${switchName} does not belong to ${plugin.title}, so its extensions are not changed.`,
  losesEndpoints: () => [],
  atBoot: () => false,
};

export const vnicRemove: NodeStep<'vnic.remove'> = {
  name: 'vnic.remove',
  parameters: stepParameters['vnic.remove'],
  words: ({switchName, name}) => ({
    changes: `Removes the node's virtual adapter ${name} from switch ${switchName}.`,
    requires: 'None.',
    verifies: 'The switch has no such adapter.',
  }),
  undo: 'Recreates the adapter with its MAC address and name.',
  cuts: ({name}, network) => network.removeAdapter(name),
  dependsOn: ({switchName}, subject) => [switchDependency(subject, switchName)],
  refuses: ({switchName}, subject, left) => whySwitchStays(subject, switchName, left),
  losesEndpoints: () => [],
  atBoot: () => false,
};

export function extensionName(id: string): string {
  return id.toLowerCase() === ovsExtension ? 'the Open vSwitch extension' : `extension ${id}`;
}

function switchDependency({node}: NodeSubject, name: string): Dependency {
  const found = node.vmSwitches?.find(its => same(its.name, name));
  return [`switch ${name}`, found ? `${found.type ?? ''} on ${found.adapterDescription ?? 'no NIC'}`.trim() : absent];
}
