import type {JsonObject} from '../json.js';
import type {ResourceType} from './resource-types.js';

export interface Cause {
  reason: string;
  message: string;
  field: string;
}

/** An error response of the API: a `Status` object with a code. */
export class StatusError extends Error {
  readonly code: number;
  readonly body: JsonObject;

  constructor(code: number, reason: string, message: string, details?: JsonObject) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.body = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      ...(details && {details}),
      code,
    };
  }
}

type Named = Pick<ResourceType, 'group' | 'plural' | 'kind'>;

const resource = ({group, plural}: Named) => (group ? `${plural}.${group}` : plural);
const details = ({group, plural}: Named, name: string) => ({name, ...(group && {group}), kind: plural});

export function notFound(type: Named, name: string): StatusError {
  return new StatusError(404, 'NotFound', `${resource(type)} "${name}" not found`, details(type, name));
}

export function pathNotFound(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function alreadyExists(type: Named, name: string): StatusError {
  return new StatusError(409, 'AlreadyExists', `${resource(type)} "${name}" already exists`, details(type, name));
}

export function conflict(type: Named, name: string, why?: string): StatusError {
  const because = why ?? 'the object has been modified; please apply your changes to the latest version and try again';
  const message = `Operation cannot be fulfilled on ${resource(type)} "${name}": ${because}`;
  return new StatusError(409, 'Conflict', message, details(type, name));
}

export function forbidden(type: Named, name: string, why: string): StatusError {
  const subject = name ? `${resource(type)} "${name}"` : resource(type);
  return new StatusError(403, 'Forbidden', `${subject} is forbidden: ${why}`, details(type, name));
}

/** The message of a policy's denial reads as forbidden, but its code is that of an invalid object. */
export function deniedByPolicy(type: Named, name: string, why: string): StatusError {
  const message = `${resource(type)} "${name}" is forbidden: ${why}`;
  return new StatusError(422, 'Invalid', message, {...details(type, name), causes: [{message: why}]});
}

export function invalid(type: Named, name: string, causes: readonly Cause[]): StatusError {
  const lines = causes.map(cause => `${cause.field}: ${cause.message}`);
  const what = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`;
  const kind = type.group ? `${type.kind}.${type.group}` : type.kind;
  return new StatusError(422, 'Invalid', `${kind} "${name}" is invalid: ${what}`, {
    name,
    ...(type.group && {group: type.group}),
    kind: type.kind,
    causes,
  });
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

export function gone(message: string): StatusError {
  return new StatusError(410, 'Expired', message);
}

export function unauthorized(): StatusError {
  return new StatusError(401, 'Unauthorized', 'Unauthorized');
}

export function notAllowed(): StatusError {
  return new StatusError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  );
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return new StatusError(415, 'UnsupportedMediaType', message);
}

export function internalError(message: string): StatusError {
  return new StatusError(500, 'InternalError', message);
}

export const success = (extra: JsonObject = {}): JsonObject => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  ...extra,
});
