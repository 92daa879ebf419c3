import type {NodeSubject} from '../../model/check.js';
import {stateFile} from '../../model/plugin.js';
import {type NodeStep, stepParameters, type With} from '../../model/step.js';
import {same} from '../../snapshot/hns.js';
import {isOvsPidFile} from '../../snapshot/ovs-places.js';
import {normalPath} from '../../snapshot/paths.js';
import {absent} from './dependency.js';

export const fileRemove: NodeStep<'file.remove'> = {
  name: 'file.remove',
  parameters: stepParameters['file.remove'],
  words: ({path}) => ({
    changes: `Removes ${path}.`,
    requires: 'It is a file below the CNI folders.',
    verifies: 'The file does not exist.',
  }),
  undo: 'Restores the file.',
  cuts: () => false,
  dependsOn({path}, {node}) {
    const found = node.files?.find(its => its.exists && same(its.path, path));
    const written = found?.writtenAt === undefined ? 'unknown' : new Date(found.writtenAt).toISOString();
    return [[`file ${path}`, found ? `written ${written}` : absent]];
  },
  refuses: ({path}, subject) =>
    isRemovable(subject, path) ? undefined : `${path} is not recreated by a CNI plugin and is not removed.`,
  losesEndpoints: () => [],
  atBoot: () => true,
};

export const registryRemoveValue: NodeStep<'registry.removeValue'> = {
  name: 'registry.removeValue',
  parameters: stepParameters['registry.removeValue'],
  words: ({path, name}) => ({
    changes: `Removes registry value ${path}\\${name}.`,
    requires: 'A plan may remove it.',
    verifies: 'The value does not exist.',
  }),
  undo: 'Restores the value.',
  cuts: () => false,
  dependsOn({path, name}, {node}) {
    const found = node.registry?.find(its => same(its.path, path) && same(its.name, name));
    return [[`registry value ${path}\\${name}`, found ? String(found.value) : absent]];
  },
  refuses: (value, subject) =>
    isRemovableValue(subject, value)
      ? undefined
      : `The registry value ${value.path}\\${value.name} must not be removed by a plan.`,
  losesEndpoints: () => [],
  // Without its record of the last boot, an agent removes all networks.
  atBoot: () => false,
};

/** Same rule as in helper/windows/cni-paths.ps1: the node checks it again. */
function isRemovable({node, plugin}: NodeSubject, path: string): boolean {
  const its = normalPath(path);
  if (its.split('\\').includes('..')) return false;
  return (
    /^c:\\(var\\lib\\cni|sourcevip|openvswitch\\var\\run\\openvswitch)\\[^:*?"<>|]+$/.test(its) ||
    isOvsPidFile(node, path) ||
    ['c:\\k\\sourcevip.json', 'c:\\openvswitch\\etc\\openvswitch\\conf.db'].includes(its) ||
    (stateFile(plugin, path)?.removable ?? false)
  );
}

function isRemovableValue({plugin}: NodeSubject, {path, name}: With<'registry.removeValue'>): boolean {
  return plugin.known
    .flatMap(({footprint}) => footprint.registry)
    .some(value => value.removable && same(value.path, path) && same(value.name, name));
}
