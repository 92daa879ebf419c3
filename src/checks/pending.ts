import type {NodeSubject} from '../model/check.js';
import type {Service} from '../snapshot/sections.js';

const minutes = 60_000;
/** Longer than any service on a node takes to start or stop; Windows itself stops waiting after 30 seconds. */
const maxPending = 5 * minutes;
/** Events of the Service Control Manager: a service timed out or hung on starting. */
const hung = new Set([7009, 7011, 7022]);

/**
 * Whether a service has been starting or stopping for too long. Undefined: it is not in such a state, or since when is
 * unknown.
 */
export function isStuck({node, now}: NodeSubject, service: Service): boolean | undefined {
  if (!isPending(service)) return undefined;
  // Some of these events contain the display name of a service, others its name.
  const names = [service.name, service.displayName].flatMap(name => name?.toLowerCase() || []);
  const reported = node.events?.some(
    ({id, at, message}) =>
      id !== undefined &&
      hung.has(id) &&
      (at ?? 0) >= (node.os?.bootedAt ?? 0) &&
      names.some(name => message.toLowerCase().includes(name)),
  );
  if (reported) return true;
  const process = node.processes?.find(({id}) => id !== undefined && id !== 0 && id === service.processId);
  // A service with automatic start has been starting since the boot; since when a service is stopping, only events
  // show.
  const booted = service.startMode === 'Auto' ? node.os?.bootedAt : undefined;
  const since = /^start/i.test(service.state) ? (service.startedAt ?? process?.startedAt ?? booted) : undefined;
  return since === undefined ? undefined : now - since > maxPending;
}

export function isPending({state}: Service): boolean {
  return /pending$/i.test(state);
}
