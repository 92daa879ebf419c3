import {readFile} from 'node:fs/promises';
import {ExitCode, WinError} from '../lib/errors.js';
import type {PluginCredential, PluginRun} from './exec-credential.js';
import type {Connection, ExecPlugin, Impersonation} from './kubeconfig.js';
import {tokenExpiry} from './token-expiry.js';

export type Headers = Record<string, string | string[]>;

/** The identity of a request: headers, and a client certificate, which may change when it expires. */
export interface Identity {
  headers: Headers;
  cert: string | Buffer | undefined;
  key: string | Buffer | undefined;
}

/** Tokens in files are rotated; client-go reads them again at the same interval. */
const tokenFileMs = 60_000;

/** The credentials of a kubeconfig user, read on first use and renewed when they expire. */
export class Credentials {
  readonly #connection: Connection;
  readonly #env: NodeJS.ProcessEnv;
  #plugin: PluginRun | undefined;
  #tokenFile: {token: string; readAt: number} | undefined;
  #certificate: Promise<Pick<Identity, 'cert' | 'key'>> | undefined;

  constructor(connection: Connection, env: NodeJS.ProcessEnv) {
    this.#connection = connection;
    this.#env = env;
  }

  /** The signal aborts waiting for a plugin. */
  async identity(signal?: AbortSignal): Promise<Identity> {
    const {server, plugin, impersonation} = this.#connection;
    // As in client-go, credentials are never sent without TLS.
    if (!server.startsWith('https:')) return {headers: actAs(impersonation), cert: undefined, key: undefined};
    const given = plugin && (await this.#fromPlugin(plugin, signal));
    const certificate = given?.cert ? {cert: given.cert, key: given.key} : await this.#fromFiles();
    const authorization = given?.token ? `Bearer ${given.token}` : await this.#authorization();
    return {...certificate, headers: {...(authorization && {Authorization: authorization}), ...actAs(impersonation)}};
  }

  /** Discards credentials that the server refused. Returns false if nothing can be renewed. */
  renew(): boolean {
    const renewable = this.#plugin !== undefined || this.#tokenFile !== undefined;
    this.#plugin = undefined;
    this.#tokenFile = undefined;
    return renewable;
  }

  async #fromPlugin(plugin: ExecPlugin, signal: AbortSignal | undefined): Promise<PluginCredential> {
    const {PluginRun} = await import('./exec-credential.js');
    const held = this.#plugin;
    if (held?.isOver()) this.#plugin = undefined;
    this.#plugin ??= new PluginRun(plugin, this.#connection, this.#env);
    const asked = this.#plugin;
    try {
      return await asked.credential(signal);
    } catch (error) {
      // Discard a failed run, so that a later request may retry.
      if (this.#plugin === asked && asked.isOver()) this.#plugin = undefined;
      throw error;
    }
  }

  #fromFiles(): Promise<Pick<Identity, 'cert' | 'key'>> {
    const {user} = this.#connection;
    this.#certificate ??= Promise.all([
      dataOrFile(user['client-certificate-data'], user['client-certificate'], 'client-certificate'),
      dataOrFile(user['client-key-data'], user['client-key'], 'client-key'),
    ]).then(([cert, key]) => ({cert, key}));
    return this.#certificate;
  }

  async #authorization(): Promise<string | undefined> {
    const {user, userName} = this.#connection;
    if (user.tokenFile) return `Bearer ${await this.#readTokenFile(user.tokenFile)}`;
    if (user.token) return `Bearer ${user.token}`;
    if (user.username !== undefined) {
      return `Basic ${Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64')}`;
    }
    const provider = user['auth-provider'];
    return provider && `Bearer ${authProviderToken(userName, provider.name, provider.config ?? {})}`;
  }

  async #readTokenFile(path: string): Promise<string> {
    if (!this.#tokenFile || performance.now() - this.#tokenFile.readAt > tokenFileMs) {
      const content = await readCredentialFile(path, 'tokenFile');
      const token = content.toString('utf8').trim();
      if (token === '') {
        throw new WinError(`The tokenFile ${path} of the kubeconfig is empty.`, {
          next: ['Sign in again, or correct tokenFile in the kubeconfig.'],
        });
      }
      this.#tokenFile = {token, readAt: performance.now()};
    }
    return this.#tokenFile.token;
  }
}

/** The PEM data of a field that a kubeconfig contains as base64 or as a path. */
export async function dataOrFile(data: string | undefined, path: string | undefined, field: string) {
  if (data) {
    if (/^[A-Za-z0-9+/\s]*[=\s]*$/.test(data)) return Buffer.from(data, 'base64');
    throw new WinError(`${field}-data in the kubeconfig is not base64.`, {
      next: [`Write the PEM text as base64, or name the file as ${field}.`],
    });
  }
  return path ? readCredentialFile(path, field) : undefined;
}

async function readCredentialFile(path: string, field: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'cannot be read';
    throw new WinError(`The file ${path} (${field} in the kubeconfig) ${why}.`, {
      next: [`Correct ${field} in the kubeconfig, or make the file readable.`],
      cause,
    });
  }
}

/**
 * Only kubectl may refresh such a token: if a provider issues each refresh token only once, using it without saving the
 * new one would lock the user out.
 */
function authProviderToken(userName: string, provider: string, config: Record<string, unknown>): string {
  const token = provider === 'oidc' ? config['id-token'] : config['access-token'];
  if (provider !== 'oidc' || typeof token !== 'string') {
    throw new WinError(`The user "${userName}" signs in with auth-provider ${provider}, which is not supported.`, {
      exit: ExitCode.denied,
      next: ['Use a credential plugin (exec) for this user instead, or pass a token with --token.'],
    });
  }
  const expiresAt = tokenExpiry(token);
  if (expiresAt === undefined || expiresAt > Date.now()) return token;
  throw new WinError(`The OIDC token of the user "${userName}" expired at ${new Date(expiresAt).toISOString()}.`, {
    exit: ExitCode.denied,
    next: [
      config['refresh-token']
        ? 'Run any kubectl command, such as "kubectl version": kubectl renews the token. Then try again.'
        : 'Sign in again: the kubeconfig has no refresh-token, so kubectl cannot renew it.',
    ],
  });
}

function actAs(impersonation: Impersonation | undefined): Headers {
  if (!impersonation) return {};
  const headers: Headers = {'Impersonate-User': impersonation.user};
  if (impersonation.uid) headers['Impersonate-Uid'] = impersonation.uid;
  if (impersonation.groups.length > 0) headers['Impersonate-Group'] = [...impersonation.groups];
  for (const [key, values] of Object.entries(impersonation.extra)) {
    headers[`Impersonate-Extra-${encodeURIComponent(key)}`] = [...values];
  }
  return headers;
}
