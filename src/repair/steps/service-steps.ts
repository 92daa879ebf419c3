import type {NodeSubject} from '../../model/check.js';
import {type Dependency, type NodeStep, stepParameters} from '../../model/step.js';
import {type Endpoint, same} from '../../snapshot/hns.js';
import {localEndpoints} from '../node/endpoint-owners.js';
import {absent} from './dependency.js';

export const serviceStart: NodeStep<'service.start'> = {
  name: 'service.start',
  parameters: stepParameters['service.start'],
  words: ({name}) => ({
    changes: `Starts service ${name}.`,
    requires: 'The service exists.',
    verifies: 'It runs.',
  }),
  undo: 'Stops it, if it did not run before.',
  cuts: ({name}, network) => network.startService(name),
  dependsOn: ({name}, subject) => [serviceDependency(subject, name)],
  refuses: ({name}, subject) => whyLeftAlone(subject, name),
  takes: () => [],
  atBoot: () => true,
};

export const serviceStop: NodeStep<'service.stop'> = {
  name: 'service.stop',
  parameters: stepParameters['service.stop'],
  words: ({name}) => ({
    changes: `Stops service ${name} and its dependent services.`,
    requires: 'The service exists.',
    verifies: 'It is stopped.',
  }),
  undo: 'Restarts the services that were running.',
  cuts: ({name}, network) => network.stopService(name),
  dependsOn: ({name}, subject) => [serviceDependency(subject, name)],
  refuses: ({name}, subject) => whyLeftAlone(subject, name),
  takes: ({name}, subject) => endpointsOfHns(name, subject),
  atBoot: () => true,
};

export const serviceRestart: NodeStep<'service.restart'> = {
  name: 'service.restart',
  parameters: stepParameters['service.restart'],
  words: ({name}) => ({
    changes: `Restarts service ${name}.`,
    requires: 'The service exists.',
    verifies: 'It runs as a new process.',
  }),
  undo: undefined,
  cuts: ({name}, network) => network.stopService(name) || network.startService(name),
  dependsOn: ({name}, subject) => [serviceDependency(subject, name)],
  refuses: ({name}, subject) => whyLeftAlone(subject, name),
  takes: ({name}, subject) => endpointsOfHns(name, subject),
  atBoot: () => true,
};

function serviceDependency({node}: NodeSubject, name: string): Dependency {
  return [`service ${name}`, node.services?.find(its => same(its.name, name))?.state ?? absent];
}

/** Pods do not get their endpoints back when HNS starts again. */
function endpointsOfHns(service: string, subject: NodeSubject): readonly Endpoint[] {
  return same(service, 'hns') ? localEndpoints(subject, subject.node.hnsNetworks ?? []) : [];
}

/** Only the services of agents, of OVS and of kube-proxy are a plan's business. */
function whyLeftAlone({plugin}: NodeSubject, name: string): string | undefined {
  const isOfNetwork =
    /^(hns|kube-?proxy|ovsdb-server|ovs-vswitchd|ovn-controller)$/i.test(name) ||
    (plugin.profile.agent?.services.includes(name.toLowerCase()) ?? false);
  return isOfNetwork ? undefined : `Service ${name} is not part of the pod network, so it is not changed.`;
}
