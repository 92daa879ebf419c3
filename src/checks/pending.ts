import type {NodeSubject} from '../model/check.js';
import type {Service} from '../snapshot/sections.js';

const minutes = 60_000;
/** Longer than any service of a node takes to start or stop; Windows itself gives up waiting after half a minute. */
const patience = 5 * minutes;
/** Service Control Manager: a service timed out, or hung on starting. */
const hung = new Set([7009, 7011, 7022]);

/**
 * Whether a service that starts or stops has done so for longer than it can take. Undefined: it is in no such state, or
 * the start is unknown.
 */
export function isStuck({node, now}: NodeSubject, service: Service): boolean | undefined {
  if (!isPending(service)) return undefined;
  // Windows names a service by its title in some of these events, and by its name in others.
  const names = [service.name, service.displayName].flatMap(name => name?.toLowerCase() || []);
  const told = node.events?.some(
    ({id, at, message}) =>
      id !== undefined &&
      hung.has(id) &&
      (at ?? 0) >= (node.os?.bootedAt ?? 0) &&
      names.some(name => message.toLowerCase().includes(name)),
  );
  if (told) return true;
  const process = node.processes?.find(({id}) => id !== undefined && id !== 0 && id === service.processId);
  // A service that starts by itself has been starting since the boot; since when one stops, only the log says.
  const booted = service.startMode === 'Auto' ? node.os?.bootedAt : undefined;
  const since = /^start/i.test(service.state) ? (service.startedAt ?? process?.startedAt ?? booted) : undefined;
  return since === undefined ? undefined : now - since > patience;
}

export function isPending({state}: Service): boolean {
  return /pending$/i.test(state);
}
