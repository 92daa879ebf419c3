import {existsSync, readFileSync} from 'node:fs';
import {isIPv6} from 'node:net';
import {parseDuration} from '../lib/duration.js';
import {WinError} from '../lib/errors.js';
import {withoutPassword} from '../lib/untrusted.js';
import {
  type ClusterEntry,
  type ExecEntry,
  emptyCluster,
  emptyUser,
  type Kubeconfig,
  readKubeconfig,
  type UserEntry,
} from './kubeconfig-file.js';

/** The connection flags of kubectl, as given on the command line. */
export interface ConnectionFlags {
  kubeconfig?: string | undefined;
  context?: string | undefined;
  cluster?: string | undefined;
  user?: string | undefined;
  namespace?: string | undefined;
  server?: string | undefined;
  token?: string | undefined;
  as?: string | undefined;
  asUid?: string | undefined;
  asGroup?: readonly string[] | undefined;
  requestTimeout?: string | undefined;
  insecureSkipTlsVerify?: boolean | undefined;
  certificateAuthority?: string | undefined;
  clientCertificate?: string | undefined;
  clientKey?: string | undefined;
  tlsServerName?: string | undefined;
}

/** A valid credential plugin. */
export interface ExecPlugin {
  apiVersion: string;
  command: string;
  args: readonly string[];
  env: readonly {name: string; value: string}[];
  installHint: string | undefined;
  interactiveMode: string | undefined;
  provideClusterInfo: boolean;
}

export interface Impersonation {
  user: string;
  uid: string | undefined;
  groups: readonly string[];
  extra: Readonly<Record<string, readonly string[]>>;
}

/** A cluster and its user: everything that a client needs. */
export interface Connection {
  /** The name of the context; empty if there is none, as with --server alone. */
  context: string;
  /** Where the configuration comes from, for error messages. */
  source: string;
  /** Address of the API server without a trailing slash. */
  server: string;
  namespace: string;
  cluster: ClusterEntry;
  userName: string;
  user: UserEntry;
  /** Used for credentials if the user has no others. */
  plugin: ExecPlugin | undefined;
  impersonation: Impersonation | undefined;
  requestTimeoutMs: number | undefined;
}

const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Finds the cluster like kubectl: flags, then kubeconfig files, then the in-cluster configuration. */
export function resolveConnection(
  flags: ConnectionFlags = {},
  env: NodeJS.ProcessEnv = process.env,
  inClusterFolder = serviceAccountFolder,
): Connection {
  const config = readKubeconfig(flags.kubeconfig, env);
  const chosen = chooseEntries(config, flags, env, inClusterFolder);
  const cluster = withClusterFlags(chosen.cluster, flags);
  const {server, credentials} = serverAddress(cluster, chosen);
  const user = withCredentials(withUserFlags(chosen.user, flags), credentials);
  refuseContradictions(server, cluster, user, chosen);
  const plugin = user.exec && pluginOf(user.exec, chosen);
  const timeout = flags.requestTimeout ? parseDuration(flags.requestTimeout, '--request-timeout') : 0;
  return {
    context: chosen.context,
    source: chosen.source,
    server,
    namespace: flags.namespace || chosen.namespace || 'default',
    cluster,
    userName: chosen.userName,
    user,
    // As in client-go, a plugin is used only if the user has no other credentials.
    plugin: user.token || user.tokenFile || user.username ? undefined : plugin,
    impersonation: impersonation(user, flags),
    requestTimeoutMs: timeout > 0 ? timeout : undefined,
  };
}

interface Chosen {
  context: string;
  source: string;
  clusterName: string;
  userName: string;
  namespace: string | undefined;
  cluster: ClusterEntry;
  user: UserEntry;
}

function chooseEntries(config: Kubeconfig, flags: ConnectionFlags, env: NodeJS.ProcessEnv, folder: string): Chosen {
  const source = config.files.join(', ') || 'the command line';
  const name = flags.context || config.currentContext;
  if (!name && !flags.cluster && !flags.server) return inCluster(config, env, folder);
  const context = name ? lookUp(config.contexts, name, 'context', source) : undefined;
  const clusterName = flags.cluster || context?.cluster;
  const userName = flags.user || context?.user;
  if (!clusterName && !flags.server) {
    throw new WinError(`The context "${name}" in ${source} has no cluster.`, {
      next: ['Set the cluster of the context (kubectl config set-context), or pass --cluster.'],
    });
  }
  return {
    context: name ?? '',
    source,
    clusterName: clusterName ?? '',
    userName: userName ?? '',
    namespace: context?.namespace,
    cluster: clusterName ? lookUp(config.clusters, clusterName, 'cluster', source) : emptyCluster,
    user: userName ? lookUp(config.users, userName, 'user', source) : emptyUser,
  };
}

function lookUp<Value>(entries: ReadonlyMap<string, Value>, name: string, what: string, source: string): Value {
  const entry = entries.get(name);
  if (entry !== undefined) return entry;
  const known = [...entries.keys()];
  const shown = known.slice(0, 12).join(', ') + (known.length > 12 ? `, and ${known.length - 12} more` : '');
  throw new WinError(`The ${what} "${name}" does not exist in ${source}.`, {
    next: [known.length > 0 ? `Choose another ${what} with --${what}: ${shown}.` : `The file has no ${what}s.`],
  });
}

function inCluster(config: Kubeconfig, env: NodeJS.ProcessEnv, folder: string): Chosen {
  const host = env.KUBERNETES_SERVICE_HOST;
  const port = env.KUBERNETES_SERVICE_PORT;
  if (config.contexts.size === 0 && host && port && existsSync(`${folder}/token`)) {
    const namespaceFile = `${folder}/namespace`;
    return {
      context: 'in-cluster',
      source: folder,
      clusterName: 'in-cluster',
      userName: 'in-cluster',
      namespace: existsSync(namespaceFile) ? readFileSync(namespaceFile, 'utf8').trim() : undefined,
      cluster: {
        ...emptyCluster,
        server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
        'certificate-authority': `${folder}/ca.crt`,
      },
      user: {...emptyUser, tokenFile: `${folder}/token`},
    };
  }
  const names = [...config.contexts.keys()];
  if (names.length > 0) {
    throw new WinError(`No context selected: current-context is not set in ${config.files.join(', ')}.`, {
      next: [`Choose one with --context: ${names.slice(0, 12).join(', ')}.`],
    });
  }
  throw new WinError('No cluster configured: no kubeconfig file with a context was found.', {
    next: ['Name a file with --kubeconfig or KUBECONFIG, or try kubectl win without a cluster: kubectl win demo'],
  });
}

function withClusterFlags(entry: ClusterEntry, flags: ConnectionFlags): ClusterEntry {
  const cluster = {...entry};
  if (flags.server) cluster.server = flags.server;
  if (flags.tlsServerName) cluster['tls-server-name'] = flags.tlsServerName;
  if (flags.certificateAuthority) {
    cluster['certificate-authority'] = flags.certificateAuthority;
    cluster['certificate-authority-data'] = undefined;
    cluster['insecure-skip-tls-verify'] = false;
  }
  if (flags.insecureSkipTlsVerify) {
    cluster['insecure-skip-tls-verify'] = true;
    cluster['certificate-authority'] = flags.certificateAuthority;
    cluster['certificate-authority-data'] = undefined;
  }
  return cluster;
}

function withUserFlags(entry: UserEntry, flags: ConnectionFlags): UserEntry {
  const user = {...entry};
  if (flags.token) {
    Object.assign(user, {token: flags.token, tokenFile: undefined, username: undefined, password: undefined});
    Object.assign(user, {exec: undefined, 'auth-provider': undefined});
  }
  if (flags.clientCertificate) {
    user['client-certificate'] = flags.clientCertificate;
    user['client-certificate-data'] = undefined;
  }
  if (flags.clientKey) {
    user['client-key'] = flags.clientKey;
    user['client-key-data'] = undefined;
  }
  return user;
}

interface Address {
  server: string;
  /** User name and password in the address. */
  credentials: {username: string; password: string} | undefined;
}

function serverAddress({server}: ClusterEntry, chosen: Chosen): Address {
  if (!server) {
    throw new WinError(`The cluster "${chosen.clusterName}" in ${chosen.source} has no server.`, {
      next: ['Add its address to the kubeconfig (kubectl config set-cluster), or pass --server.'],
    });
  }
  // Without a scheme kubectl uses HTTP, even if the kubeconfig has certificates.
  const hasScheme = server.includes('://');
  const url = URL.parse(hasScheme ? server : `http://${server}`);
  if (!url || !['http:', 'https:'].includes(url.protocol) || (!hasScheme && url.pathname !== '/')) {
    const shown = withoutPassword(server);
    throw new WinError(
      `"${shown}" is not a valid API server address (cluster "${chosen.clusterName}", ${chosen.source}).`,
      {
        next: ['Write it as https://HOST:PORT.'],
      },
    );
  }
  const {username, password} = url;
  // Messages show only the address. Like kubectl, ignore a query.
  for (const part of ['username', 'password', 'search', 'hash'] as const) url[part] = '';
  return {
    server: url.href.replace(/\/+$/, ''),
    credentials: username
      ? {username: decodeURIComponent(username), password: decodeURIComponent(password)}
      : undefined,
  };
}

/** As in Go programs, user name and password in the address count if the user has no other credentials. */
function withCredentials(user: UserEntry, credentials: Address['credentials']): UserEntry {
  const hasOwn = user.token || user.tokenFile || user.username || user.exec || user['auth-provider'];
  return credentials && !hasOwn ? {...user, ...credentials} : user;
}

/** Like kubectl, refuses conflicting or incomplete settings. */
function refuseContradictions(server: string, cluster: ClusterEntry, user: UserEntry, chosen: Chosen): void {
  const inCluster = `The cluster "${chosen.clusterName}" in ${chosen.source}`;
  const ofUser = `The user "${chosen.userName}" in ${chosen.source}`;
  refuseBoth(inCluster, cluster, 'certificate-authority');
  refuseBoth(ofUser, user, 'client-certificate');
  refuseBoth(ofUser, user, 'client-key');
  const authority = cluster['certificate-authority'] || cluster['certificate-authority-data'];
  if (server.startsWith('https:') && authority && cluster['insecure-skip-tls-verify']) {
    throw new WinError(
      `${inCluster} has a certificate authority and insecure-skip-tls-verify, which cannot be combined.`,
      {
        next: ['Remove insecure-skip-tls-verify, so that the certificate of the API server is verified.'],
      },
    );
  }
  const certificate = user['client-certificate'] || user['client-certificate-data'];
  if (certificate && !user['client-key'] && !user['client-key-data']) {
    throw new WinError(`${ofUser} has a client certificate without its key.`, {
      next: ['Add client-key or client-key-data to the user, or pass --client-key.'],
    });
  }
  if ((user.token || user.tokenFile) && user.username) {
    throw new WinError(`${ofUser} has a token and a user name, which cannot be combined.`, {
      next: ['Remove username and password, or the token.'],
    });
  }
  if (user.exec && user['auth-provider']) {
    throw new WinError(`${ofUser} has an exec plugin and an auth-provider, which cannot be combined.`, {
      next: ['Remove auth-provider.'],
    });
  }
}

/** Refuses a setting that is given both as a path and as data. */
function refuseBoth<Field extends string>(
  where: string,
  entry: {readonly [Key in Field | `${Field}-data`]?: string | undefined},
  field: Field,
): void {
  const inside: `${Field}-data` = `${field}-data`;
  if (!entry[field] || !entry[inside]) return;
  throw new WinError(`${where} has ${field} and ${field}-data, which cannot be combined.`, {
    next: [`Remove ${field} or ${field}-data.`],
  });
}

/** The plugin of a user, if it has all required fields. */
function pluginOf({apiVersion, command, env, ...rest}: ExecEntry, {userName, source}: Chosen): ExecPlugin {
  const ofUser = `The user "${userName}" in ${source}`;
  const missing = (field: string) =>
    new WinError(`${ofUser} has an exec plugin without ${field}.`, {next: [`Add ${field} to its exec entry.`]});
  if (!command) throw missing('command');
  if (!apiVersion) throw missing('apiVersion');
  const variables = env.map(({name, value}) => {
    if (!name) throw missing('the name of an environment variable');
    return {name, value: value ?? ''};
  });
  const plugin = {...rest, apiVersion, command, env: variables};
  refuseMode(plugin, ofUser);
  return plugin;
}

const interactiveModes = ['Never', 'IfAvailable', 'Always'];

/** v1 of exec credentials requires the mode; earlier versions default to IfAvailable. */
function refuseMode({apiVersion, interactiveMode}: ExecPlugin, ofUser: string): void {
  const next = [
    `Set interactiveMode of its exec plugin to one of ${interactiveModes.join(', ')}; most plugins use IfAvailable.`,
  ];
  if (interactiveMode === undefined && apiVersion === 'client.authentication.k8s.io/v1') {
    throw new WinError(`${ofUser} has an exec plugin of client.authentication.k8s.io/v1 without interactiveMode.`, {
      next,
    });
  }
  if (interactiveMode !== undefined && !interactiveModes.includes(interactiveMode)) {
    throw new WinError(`${ofUser} has an exec plugin with the unknown interactiveMode "${interactiveMode}".`, {next});
  }
}

function impersonation(user: UserEntry, flags: ConnectionFlags): Impersonation | undefined {
  const groups = flags.asGroup && flags.asGroup.length > 0 ? flags.asGroup : user['as-groups'];
  const uid = flags.asUid || user['as-uid'];
  const name = flags.as || user.as;
  const extra = user['as-user-extra'];
  if (name) return {user: name, uid, groups, extra};
  if (groups.length === 0 && !uid && Object.keys(extra).length === 0) return undefined;
  throw new WinError('Impersonating a group or UID requires a user.', {next: ['Pass the user with --as.']});
}
