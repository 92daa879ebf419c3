import {type ChildProcess, spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import * as z from 'zod/mini';
import {ExitCode, WinError} from '../lib/errors.js';
import {printable} from '../lib/untrusted.js';
import type {Connection, ExecPlugin} from './kubeconfig.js';

const apiVersions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

const execCredential = z.object({
  apiVersion: z.string(),
  kind: z.literal('ExecCredential'),
  status: z.object({
    token: z.optional(z.string()),
    clientCertificateData: z.optional(z.string()),
    clientKeyData: z.optional(z.string()),
    expirationTimestamp: z.optional(z.iso.datetime({offset: true})),
  }),
});

export interface PluginCredential {
  token: string | undefined;
  cert: string | undefined;
  key: string | undefined;
  /** Milliseconds since the epoch; undefined if it does not expire. */
  expiresAt: number | undefined;
}

/** How long an unneeded plugin may take to exit after SIGTERM. */
const endMs = 2000;

/**
 * One run of the credential plugin of a kubeconfig user, shared by all requests that wait for it. Its prompts go to the
 * user's terminal. It is ended when no request waits for it.
 */
export class PluginRun {
  readonly #plugin: ExecPlugin;
  readonly #answer: Promise<PluginCredential>;
  #child: ChildProcess | undefined;
  #waiting = 0;
  #isOver = false;
  #expiresAt = Number.POSITIVE_INFINITY;

  constructor(plugin: ExecPlugin, connection: Connection, env: NodeJS.ProcessEnv) {
    this.#plugin = plugin;
    this.#answer = this.#ask(connection, env);
    this.#answer.then(
      ({expiresAt}) => {
        this.#expiresAt = expiresAt ?? Number.POSITIVE_INFINITY;
      },
      () => {
        this.#isOver = true;
      },
    );
  }

  /** It failed, or its credential has expired: a new run is required. */
  isOver(): boolean {
    return this.#isOver || this.#expiresAt <= Date.now();
  }

  async credential(signal: AbortSignal | undefined): Promise<PluginCredential> {
    signal?.throwIfAborted();
    const {promise: given, reject} = Promise.withResolvers<never>();
    const leave = () => reject(signal?.reason);
    signal?.addEventListener('abort', leave, {once: true});
    this.#waiting += 1;
    try {
      return await Promise.race([this.#answer, given]);
    } finally {
      signal?.removeEventListener('abort', leave);
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#end();
    }
  }

  async #ask(connection: Connection, env: NodeJS.ProcessEnv): Promise<PluginCredential> {
    const plugin = this.#plugin;
    if (!apiVersions.includes(plugin.apiVersion)) {
      throw failure(plugin, `uses ${plugin.apiVersion}; supported versions are ${apiVersions.join(' and ')}`);
    }
    const terminal = process.stdin.isTTY === true;
    if (plugin.interactiveMode === 'Always' && !terminal) {
      throw failure(plugin, 'requires input, but stdin is not a terminal');
    }
    const interactive = terminal && plugin.interactiveMode !== 'Never';
    const output = await this.#run({...env, ...pluginEnv(plugin, connection, interactive)}, interactive);
    return readCredential(plugin, output);
  }

  #run(env: NodeJS.ProcessEnv, interactive: boolean): Promise<string> {
    const plugin = this.#plugin;
    const child = spawn(plugin.command, plugin.args, {
      env,
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    return new Promise((resolve, reject) => {
      let output = '';
      child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
        if (output.length <= longestAnswer) return;
        child.kill('SIGKILL');
        reject(failure(plugin, 'printed too much output for an ExecCredential'));
      });
      child.on('error', error => reject(startFailure(plugin, error, env)));
      child.on('close', (code, killedBy) => {
        if (code === 0) resolve(output);
        else reject(failure(plugin, killedBy ? `was killed by ${killedBy}` : `failed with exit code ${code}`));
      });
    });
  }

  /** A hanging plugin must not keep the program from exiting. */
  #end(): void {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    this.#isOver = true;
    child.kill('SIGTERM');
    child.stdout?.destroy();
    child.unref();
    const timer = setTimeout(() => child.kill('SIGKILL'), endMs);
    child.once('exit', () => clearTimeout(timer));
  }
}

const longestAnswer = 1_048_576;

function pluginEnv(plugin: ExecPlugin, connection: Connection, interactive: boolean): Record<string, string> {
  const info = {
    kind: 'ExecCredential',
    apiVersion: plugin.apiVersion,
    spec: {...(plugin.provideClusterInfo && {cluster: clusterInfo(connection)}), interactive},
  };
  const own = Object.fromEntries(plugin.env.map(({name, value}) => [name, value]));
  return {...own, KUBERNETES_EXEC_INFO: JSON.stringify(info)};
}

function clusterInfo({cluster, server}: Connection) {
  const config = cluster.extensions.find(({name}) => name === 'client.authentication.k8s.io/exec')?.extension;
  return {
    server,
    'tls-server-name': cluster['tls-server-name'],
    'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'] || undefined,
    'certificate-authority-data': cluster['certificate-authority-data'],
    'proxy-url': cluster['proxy-url'],
    config,
  };
}

function startFailure(plugin: ExecPlugin, error: NodeJS.ErrnoException, env: NodeJS.ProcessEnv): WinError {
  // An unreadable directory on the PATH causes EACCES, even for a program that does not exist.
  const isAbsent = error.code === 'ENOENT' || (error.code === 'EACCES' && !isOnPath(plugin.command, env));
  if (isAbsent) return failure(plugin, 'was not found', plugin.installHint);
  return failure(plugin, `could not be started (${error.code ?? error.message})`);
}

function isOnPath(command: string, {PATH = ''}: NodeJS.ProcessEnv): boolean {
  const folders = /[\\/]/.test(command) ? [''] : PATH.split(delimiter);
  return folders.some(folder => existsSync(join(folder, command)));
}

function readCredential(plugin: ExecPlugin, output: string): PluginCredential {
  let document: unknown;
  try {
    document = JSON.parse(output);
  } catch {
    throw failure(plugin, 'did not print an ExecCredential as JSON');
  }
  const parsed = execCredential.safeParse(document);
  if (!parsed.success || parsed.data.apiVersion !== plugin.apiVersion) {
    throw failure(plugin, `did not print an ExecCredential of ${plugin.apiVersion}`);
  }
  const {token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp} = parsed.data.status;
  if (!token && !(cert && key)) throw failure(plugin, 'returned neither a token nor a client certificate with its key');
  return {token, cert, key, expiresAt: expirationTimestamp ? Date.parse(expirationTimestamp) : undefined};
}

function failure(plugin: ExecPlugin, what: string, hint?: string): WinError {
  return new WinError(`The credential plugin "${plugin.command}" of the kubeconfig ${what}.`, {
    exit: ExitCode.denied,
    // Its arguments may contain secrets, so they are not printed.
    next: [hint ? printable(hint) : `Run the exec command of this user (kubectl config view) manually to see why.`],
  });
}
