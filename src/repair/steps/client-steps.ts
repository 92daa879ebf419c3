import type {NodeSubject} from '../../model/check.js';
import {type ApiStep, clientStepParameters, type Dependency} from '../../model/step.js';
import {absent} from './dependency.js';

export const nodeCordon: ApiStep<'node.cordon'> = {
  name: 'node.cordon',
  parameters: clientStepParameters['node.cordon'],
  words: ({node}) => ({
    changes: `Cordons ${node}.`,
    requires: 'The node is schedulable.',
    verifies: 'It is unschedulable.',
  }),
  undo: 'Uncordons it.',
  cuts: () => false,
  dependsOn: ({node}, subject) => [nodeDependency(subject, node)],
  refuses: ({node}, subject) => whyOtherNode(subject, node),
};

export const nodeDrain: ApiStep<'node.drain'> = {
  name: 'node.drain',
  parameters: clientStepParameters['node.drain'],
  words: ({node, force}) => ({
    changes: `Evicts the pods on ${node}, except those of DaemonSets${force ? ', also those without a controller' : ''}.`,
    requires: 'Their disruption budgets allow it.',
    verifies: 'They are gone.',
  }),
  undo: undefined,
  cuts: () => false,
  dependsOn: ({node}, subject) => [nodeDependency(subject, node)],
  refuses: ({node}, subject) => whyOtherNode(subject, node),
};

export const podDelete: ApiStep<'pod.delete'> = {
  name: 'pod.delete',
  parameters: clientStepParameters['pod.delete'],
  words: ({namespace, name, awaits}) => ({
    changes: `Deletes pod ${namespace}/${name}; its controller creates a new one.`,
    requires: 'The pod is on this node.',
    verifies: awaits ? 'A new one is ready.' : 'It is gone.',
  }),
  undo: undefined,
  cuts: ({namespace, name}, {pod, cuts}) => cuts && pod?.namespace === namespace && pod.name === name,
  dependsOn({namespace, name}, {cluster}) {
    const pod = cluster?.find('Pod', name, namespace);
    return [[`pod ${namespace}/${name}`, pod ? `on ${pod.spec.nodeName ?? 'no node'}` : absent]];
  },
  refuses: ({namespace, name}, {node, cluster}) =>
    cluster?.find('Pod', name, namespace)?.spec.nodeName === node.name
      ? undefined
      : `Pod ${namespace}/${name} was not found on ${node.name} and is not deleted.`,
};

export const nodeUncordon: ApiStep<'node.uncordon'> = {
  name: 'node.uncordon',
  parameters: clientStepParameters['node.uncordon'],
  words: ({node}) => ({
    changes: `Uncordons ${node}.`,
    requires: 'The plan has succeeded.',
    verifies: 'The node is schedulable.',
  }),
  undo: 'Cordons it.',
  cuts: () => false,
  dependsOn: ({node}, subject) => [nodeDependency(subject, node)],
  refuses: ({node}, subject) => whyOtherNode(subject, node),
};

function nodeDependency({object}: NodeSubject, node: string): Dependency {
  return [`node ${node}`, object?.spec?.unschedulable ? 'cordoned' : 'schedulable'];
}

function whyOtherNode({node}: NodeSubject, name: string): string | undefined {
  return name === node.name ? undefined : `The plan is for ${node.name}, but a step is for ${name}.`;
}
