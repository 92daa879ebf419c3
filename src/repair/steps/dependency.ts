import type {NodeSubject} from '../../model/check.js';
import type {Dependency} from '../../model/step.js';
import type {Endpoint} from '../../snapshot/hns.js';
import {ownerOf, podName} from '../node/endpoint-owners.js';

/** The state of an object that does not exist on the node. */
export const absent = 'missing';

export const enabledState = (found: {readonly enabled: boolean} | undefined): string =>
  found ? (found.enabled ? 'enabled' : 'disabled') : absent;

const ownerText = {host: 'of the node', nobody: 'without an owner', unclear: 'owner unknown'} as const;

export function endpointDependency(subject: NodeSubject, endpoint: Endpoint): Dependency {
  const owner = ownerOf(subject, endpoint);
  const whose = owner.kind === 'pod' ? `of pod ${podName(owner.pod)}` : ownerText[owner.kind];
  return [`HNS endpoint ${endpoint.name}`, [endpoint.ip, `state ${endpoint.state ?? 'unknown'}`, whose].join(', ')];
}
