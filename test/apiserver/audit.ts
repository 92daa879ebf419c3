import {readFileSync} from 'node:fs';

interface AuditEvent {
  auditID: string;
  verb: string;
  requestURI: string;
  userAgent?: string;
  objectRef?: {
    apiGroup?: string;
    resource: string;
    subresource?: string;
    namespace?: string;
    name?: string;
  };
  responseStatus?: {code?: number};
}

export interface AuditedRequest {
  /** As in a role: `list pods`, `create pods/exec`, `patch daemonsets.apps`. Undefined for non-resource paths. */
  right: string | undefined;
  verb: string;
  uri: string;
  code: number | undefined;
}

/** Reads the audit log of the user's requests; each call returns the new ones. */
export class AuditLog {
  readonly #file: string;
  #read = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** The distinct requests since the last call, without those of kubectl. */
  next(): AuditedRequest[] {
    const text = readFileSync(this.#file, 'utf8');
    const fresh = text.slice(this.#read, text.lastIndexOf('\n') + 1);
    this.#read += fresh.length;
    const events = fresh
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line) as AuditEvent)
      .filter(({userAgent}) => !userAgent?.startsWith('kubectl/'));
    return [...new Map(events.map(event => [event.auditID, event])).values()].map(event => ({
      right: rightOf(event),
      verb: event.verb,
      uri: event.requestURI,
      code: event.responseStatus?.code,
    }));
  }
}

function rightOf({verb, objectRef}: AuditEvent): string | undefined {
  if (!objectRef) return undefined;
  const {resource, subresource, apiGroup} = objectRef;
  return `${verb} ${rightName(apiGroup ?? '', subresource ? `${resource}/${subresource}` : resource)}`;
}

const rightName = (group: string, resource: string) => (group ? `${resource}.${group}` : resource);
