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
    verifies: 'The service is running.',
  }),
  undo: 'Stops it, if it was not running before.',
  cuts: ({name}, network) => network.startService(name),
  dependsOn: ({name}, subject) => [serviceDependency(subject, name)],
  refuses: ({name}, subject) => whyNotChanged(subject, name),
  losesEndpoints: () => [],
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
  refuses: ({name}, subject) => whyNotChanged(subject, name),
  losesEndpoints: ({name}, subject) => endpointsOfHns(name, subject),
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
  refuses: ({name}, subject) => whyNotChanged(subject, name),
  losesEndpoints: ({name}, subject) => endpointsOfHns(name, subject),
  atBoot: () => true,
};

function serviceDependency({node}: NodeSubject, name: string): Dependency {
  return [`service ${name}`, node.services?.find(its => same(its.name, name))?.state ?? absent];
}

/** Pods do not get their endpoints back when HNS restarts. */
function endpointsOfHns(service: string, subject: NodeSubject): readonly Endpoint[] {
  return same(service, 'hns') ? localEndpoints(subject, subject.node.hnsNetworks ?? []) : [];
}

/** A plan may only change the services of HNS, agents, OVS and kube-proxy. */
function whyNotChanged({plugin}: NodeSubject, name: string): string | undefined {
  const isOfNetwork =
    /^(hns|kube-?proxy|ovsdb-server|ovs-vswitchd|ovn-controller)$/i.test(name) ||
    (plugin.profile.agent?.services.includes(name.toLowerCase()) ?? false);
  return isOfNetwork ? undefined : `Service ${name} is not part of the pod network, so it is not changed.`;
}
