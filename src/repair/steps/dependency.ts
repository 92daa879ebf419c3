import type {NodeSubject} from '../../model/check.js';
import type {Dependency} from '../../model/step.js';
import type {Endpoint} from '../../snapshot/hns.js';
import {ownerOf, podName} from '../node/endpoint-owners.js';

/** How the state of a plan names what is not on the node. */
export const absent = 'not there';

export const onOrOff = (found: {readonly enabled: boolean} | undefined): string =>
  found ? (found.enabled ? 'on' : 'off') : absent;

export function endpointDependency(subject: NodeSubject, endpoint: Endpoint): Dependency {
  const owner = ownerOf(subject, endpoint);
  const whose = owner.kind === 'pod' ? `of pod ${podName(owner.pod)}` : `of ${owner.kind}`;
  return [`HNS endpoint ${endpoint.name}`, [endpoint.ip, `state ${endpoint.state ?? 'unknown'}`, whose].join(', ')];
}
