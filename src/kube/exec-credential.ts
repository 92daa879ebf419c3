import {spawn} from 'node:child_process';
import * as z from 'zod/mini';
import {ExitCode, WinError} from '../lib/errors.js';
import type {Connection} from './kubeconfig.js';
import type {ExecPlugin} from './kubeconfig-file.js';

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
  /** Milliseconds since the epoch; undefined when it does not expire while this program runs. */
  expiresAt: number | undefined;
}

/** Asks a credential plugin of a kubeconfig user, as client-go does. Its prompts go to the user's own terminal. */
export async function runCredentialPlugin(
  plugin: ExecPlugin,
  connection: Connection,
  env: NodeJS.ProcessEnv,
): Promise<PluginCredential> {
  if (!apiVersions.includes(plugin.apiVersion)) {
    throw failure(plugin, `speaks ${plugin.apiVersion}; this program understands ${apiVersions.join(' and ')}`);
  }
  const terminal = process.stdin.isTTY === true;
  if (plugin.interactiveMode === 'Always' && !terminal) {
    throw failure(plugin, 'asks for input, but standard input is not a terminal');
  }
  const interactive = terminal && plugin.interactiveMode !== 'Never';
  const output = await run(plugin, {...env, ...pluginEnv(plugin, connection, interactive)}, interactive);
  return readCredential(plugin, output);
}

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

function run(plugin: ExecPlugin, env: NodeJS.ProcessEnv, interactive: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(plugin.command, plugin.args, {
      env,
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
    child.on('error', error => reject(startFailure(plugin, error)));
    child.on('close', (code, killedBy) => {
      if (code === 0) resolve(output);
      else reject(failure(plugin, killedBy ? `was ended by ${killedBy}` : `failed with exit code ${code}`));
    });
  });
}

function startFailure(plugin: ExecPlugin, error: NodeJS.ErrnoException): WinError {
  if (error.code === 'ENOENT') return failure(plugin, 'was not found', plugin.installHint);
  return failure(plugin, `could not be started (${error.code ?? error.message})`);
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
  if (!token && !(cert && key)) throw failure(plugin, 'gave neither a token nor a client certificate with its key');
  return {token, cert, key, expiresAt: expirationTimestamp ? Date.parse(expirationTimestamp) : undefined};
}

function failure(plugin: ExecPlugin, what: string, hint?: string): WinError {
  return new WinError(`The credential plugin "${plugin.command}" of the kubeconfig ${what}.`, {
    exit: ExitCode.denied,
    next: [hint?.trim() || `Run "${[plugin.command, ...plugin.args].join(' ')}" by hand to see why.`],
  });
}
