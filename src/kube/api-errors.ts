import * as z from 'zod/mini';
import {ExitCode, WinError} from '../lib/errors.js';
import {own} from '../lib/own.js';
import {printable} from '../lib/untrusted.js';
import {admissionRefusal} from './admission.js';
import type {Connection} from './kubeconfig.js';
import {tokenExpiry} from './token-expiry.js';

const status = z.object({
  kind: z.literal('Status'),
  message: z.catch(z.string(), ''),
  reason: z.catch(z.string(), ''),
  details: z.catch(z.object({causes: z.array(z.object({message: z.string()}))}), {causes: []}),
});

interface Refused {
  readonly status: number;
  readonly reason: string;
  readonly detail: string;
  readonly causes?: readonly string[];
  readonly exit: ExitCode;
  readonly next: readonly string[];
  readonly retryAfterMs?: number | undefined;
  readonly temporary: boolean;
}

/** An error response of the API server. */
export class ApiError extends WinError {
  /** The HTTP status code. */
  readonly status: number;
  /** The reason in the Status, such as `NotFound` or `AlreadyExists`. */
  readonly reason: string;
  /** The server's message, without our text. */
  readonly detail: string;
  /** How long the server asks to wait before a retry. */
  readonly retryAfterMs: number | undefined;

  /** Details in the Status, such as the disruption budget that forbids an eviction. */
  readonly causes: readonly string[];
  /** The same request may succeed later. */
  readonly temporary: boolean;

  constructor({status: code, reason, detail, causes = [], exit, next, retryAfterMs, temporary}: Refused) {
    super(reason ? `Error from server (${reason}): ${detail}` : `Error from server: ${detail}`, {exit, next});
    this.name = 'ApiError';
    this.status = code;
    this.reason = reason;
    this.detail = detail;
    this.causes = causes;
    this.retryAfterMs = retryAfterMs;
    this.temporary = temporary;
  }
}

export const isNotFound = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 404;
export const isConflict = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 409;
/** The object to create already exists. Other 409 responses do not imply that. */
export const isAlreadyThere = (error: unknown): error is ApiError =>
  isConflict(error) && error.reason === 'AlreadyExists';
export const isForbidden = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 403;

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

/** Facts about a response that are not in its body. */
export interface AnswerFacts {
  retryAfterMs?: number | undefined;
  /** The Authorization header of the request. */
  authorization?: string | undefined;
  /** Whether the server has allowed the same request before, or was just unavailable. */
  allowedBefore?: boolean | undefined;
}

/** Statuses of an overloaded or partly unavailable server. */
const passing: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/** The message of the authorizer; admission plugins do not use it. */
const unauthorized = /\bcannot \S+ (resource|path) "/;

/** A response above 299 as an error. The body is a Status, or the text of a proxy or load balancer. */
export function apiError(
  code: number,
  body: string,
  connection: Connection,
  {retryAfterMs, authorization, allowedBefore = false}: AnswerFacts = {},
): ApiError {
  const parsed = status.safeParse(parseJson(body));
  const reason = (parsed.success && parsed.data.reason) || reasons[code] || '';
  const words = (parsed.success && parsed.data.message) || body.replace(/<[^>]*>/g, ' ');
  const admission = admissionRefusal(words);
  // A restarted server has not loaded its roles for some seconds, and denies everyone but administrators.
  const restarted = code === 403 && allowedBefore && unauthorized.test(words);
  return new ApiError({
    status: code,
    reason,
    detail: printable(words, 600) || `HTTP status ${code}`,
    causes: parsed.success ? parsed.data.details.causes.map(({message}) => printable(message)) : [],
    exit: admission ? ExitCode.denied : exitOf(code),
    next: admission ? [admission.next] : remedy({code, words, restarted}, connection, authorization),
    retryAfterMs,
    temporary: passing.has(code) || restarted,
  });
}

function exitOf(code: number): ExitCode {
  if (code === 401 || code === 403) return ExitCode.denied;
  return code === 404 ? ExitCode.usage : ExitCode.uninspected;
}

function remedy(
  {code, words, restarted}: {code: number; words: string; restarted: boolean},
  connection: Connection,
  authorization = '',
): string[] {
  const {context, userName, source} = connection;
  if (code === 401) {
    const expiresAt = tokenExpiry(authorization.replace(/^Bearer /, ''));
    if (expiresAt !== undefined && expiresAt <= Date.now()) {
      const when = new Date(expiresAt).toISOString();
      return [`Sign in again: the token of user "${userName}" in ${source} expired at ${when}.`];
    }
    return [`Sign in again: the API server does not accept the credentials of user "${userName}" in ${source}.`];
  }
  if (code === 403) {
    if (restarted)
      return ['Try again in a moment: this was allowed before, so the API server may have been restarted.'];
    if (words.includes('User "system:anonymous"')) {
      return [
        `Sign in: user "${userName}" in ${source} has no credentials, so the API server treats you as anonymous.`,
      ];
    }
    const where = context ? ` in context "${context}"` : '';
    return [
      `Ask an administrator for this permission${where}; kubectl win's manifests/rbac.yaml lists all required permissions.`,
    ];
  }
  return [];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Cause {
  /** One clause, after the server's address. */
  what: string;
  next: string;
}

const untrusted: Cause = {
  what: 'presents a certificate signed by an unknown authority',
  next: 'Set certificate-authority-data in the kubeconfig, or pass --certificate-authority.',
};
const silent: Cause = {what: 'does not answer', next: 'Check the address, the network and firewalls.'};
const unknownHost: Cause = {what: 'cannot be found: its name does not resolve', next: 'Check the address and the DNS.'};
const unreachable: Cause = {what: 'cannot be reached: there is no route to it', next: 'Check the network or the VPN.'};
const dropped: Cause = {
  what: 'closed the connection',
  next: 'Try again; if the problem persists, check the API server.',
};

const refused: Cause = {
  what: 'refused the connection',
  next: 'Check that the address is correct and the API server is running.',
};

const causes: Readonly<Record<string, Cause>> = {
  ECONNREFUSED: refused,
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ETIMEDOUT: silent,
  ECONNRESET: dropped,
  EPIPE: dropped,
  CERT_HAS_EXPIRED: {
    what: 'presents an expired certificate',
    next: 'Renew the certificate of the API server, or check the clock of this machine.',
  },
  CERT_NOT_YET_VALID: {
    what: 'presents a certificate that is not valid yet',
    next: 'Check the clocks of this machine and of the API server.',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    what: 'presents a certificate for another host name',
    next: 'Use a name in the certificate, or pass that name with --tls-server-name (tls-server-name in the kubeconfig).',
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  ERR_SSL_WRONG_VERSION_NUMBER: {
    what: 'does not use TLS',
    next: 'Check the port, and whether the address should start with http:// instead of https://.',
  },
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: {
    what: 'requires a client certificate',
    next: 'Set client-certificate and client-key for the user in the kubeconfig.',
  },
};

/** A connection that failed, as one sentence that names server and context. */
export function connectionError(error: unknown, connection: Connection, proxy: string | undefined): WinError {
  const {server, context} = connection;
  const known = own(causes, errorCode(error));
  const detail = printable(error instanceof Error ? error.message : String(error));
  const asides = [context && `context "${context}"`];
  if (proxy && isOfProxy(error)) {
    const subject = `The proxy ${new URL(proxy).host} of the API server ${server}${inBrackets(asides)}`;
    // Node's message contains the proxy's address, including a password.
    return unreachableError(`${subject} ${known?.what ?? `failed: ${detail.replace(/ via \S+:/, ':')}`}.`, error, [
      'Check proxy-url in the kubeconfig, HTTPS_PROXY and NO_PROXY, and that the proxy is running.',
    ]);
  }
  if (proxy) asides.push(`through proxy ${new URL(proxy).host}`);
  const subject = `The API server ${server}${inBrackets(asides)}`;
  return unreachableError(`${subject} ${known?.what ?? `cannot be reached: ${detail}`}.`, error, [
    known?.next ?? 'Check the address, the network and the proxy settings.',
  ]);
}

function inBrackets(asides: readonly string[]): string {
  const given = asides.filter(aside => aside !== '');
  return given.length > 0 ? ` (${given.join(', ')})` : '';
}

const unreachableError = (message: string, cause: unknown, next: string[]) =>
  new WinError(message, {exit: ExitCode.uninspected, next, cause});

/** With a proxy, we connect only to the proxy, so connection errors are the proxy's. */
function isOfProxy(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isOfProxy);
  if (!(error instanceof Error)) return false;
  const {code, syscall} = error as NodeJS.ErrnoException;
  return (
    code === 'ERR_PROXY_TUNNEL' ||
    isOfSocks(error) ||
    syscall === 'connect' ||
    syscall === 'getaddrinfo' ||
    isOfProxy(error.cause)
  );
}

/** Errors of the SOCKS client contain its options. */
const isOfSocks = (error: Error) => 'options' in error && error.options instanceof Object && 'proxy' in error.options;

/** True for an error of `connectionError` if the other side closed the connection. */
export const isDropped = (error: unknown) => causeOf(error) === dropped;
/** True for an error of `connectionError` if nothing listened at the address. */
export const isRefused = (error: unknown) => causeOf(error) === refused;

/** True if a retry may succeed: the server is unavailable, overloaded, or was just restarted. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof ApiError) return error.temporary;
  if (isDropped(error) || isRefused(error)) return true;
  return error instanceof WinError && error.cause instanceof WinError && isTemporary(error.cause);
}

const causeOf = (error: unknown) => (error instanceof WinError ? own(causes, errorCode(error.cause)) : undefined);

function errorCode(error: unknown): string {
  for (let current = error; current instanceof Error; current = current.cause) {
    const {code} = current as NodeJS.ErrnoException;
    if (code && own(causes, code)) return code;
    if (current instanceof AggregateError && current.errors.length > 0) return errorCode(current.errors[0]);
  }
  const text = error instanceof Error ? error.message : '';
  // OpenSSL reports this only in the message; its error code is generic.
  if (text.includes('wrong version number')) return 'ERR_SSL_WRONG_VERSION_NUMBER';
  // The SOCKS client keeps only the text of an error.
  return /\b(E[A-Z]{4,})\b/.exec(text)?.[1] ?? '';
}
