import {readFileSync} from 'node:fs';
import {delimiter, dirname, isAbsolute, join, resolve, sep} from 'node:path';
import {load} from 'js-yaml';
import * as z from 'zod/mini';
import {WinError} from '../lib/errors.js';
import {homeFolder} from '../lib/home.js';
import '../lib/zod-messages.js';

const text = z.pipe(
  z.nullish(z.string()),
  z.transform(value => value || undefined),
);
const flag = z.pipe(
  z.nullish(z.boolean()),
  z.transform(value => value ?? false),
);
const listOf = <Shape extends z.ZodMiniType>(shape: Shape) =>
  z.pipe(
    z.nullish(z.array(shape)),
    z.transform(value => value ?? []),
  );

const cluster = z.object({
  server: text,
  'certificate-authority': text,
  'certificate-authority-data': text,
  'insecure-skip-tls-verify': flag,
  'tls-server-name': text,
  'proxy-url': text,
  'disable-compression': flag,
  extensions: listOf(z.object({name: z.string(), extension: z.unknown()})),
});

/** Required fields are checked only for the selected user: like kubectl, ignore errors in other users. */
const execPlugin = z.object({
  apiVersion: z.nullish(z.string()),
  command: z.nullish(z.string()),
  args: listOf(z.string()),
  env: listOf(z.object({name: z.nullish(z.string()), value: z.nullish(z.string())})),
  installHint: text,
  interactiveMode: text,
  provideClusterInfo: flag,
});

const user = z.object({
  token: text,
  tokenFile: text,
  username: text,
  password: text,
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  exec: z.pipe(
    z.nullish(execPlugin),
    z.transform(value => value ?? undefined),
  ),
  'auth-provider': z.pipe(
    z.nullish(z.object({name: z.string(), config: z.nullish(z.record(z.string(), z.unknown()))})),
    z.transform(value => value ?? undefined),
  ),
  as: text,
  'as-uid': text,
  'as-groups': listOf(z.string()),
  'as-user-extra': z.pipe(
    z.nullish(z.record(z.string(), z.array(z.string()))),
    z.transform(value => value ?? {}),
  ),
});

const context = z.object({cluster: text, user: text, namespace: text});

const orEmpty = <Shape extends z.ZodMiniType>(shape: Shape): z.ZodMiniType<z.output<Shape>> =>
  z.pipe(
    z.transform((value: unknown): unknown => value ?? {}),
    shape,
  );
/** If the file has this field, it must have this value. */
const oneOrNone = (value: string) => z.nullish(z.enum([value, '']));

const kubeconfigFile = z.object({
  apiVersion: oneOrNone('v1'),
  kind: oneOrNone('Config'),
  'current-context': text,
  clusters: listOf(z.object({name: z.string(), cluster: orEmpty(cluster)})),
  users: listOf(z.object({name: z.string(), user: orEmpty(user)})),
  contexts: listOf(z.object({name: z.string(), context: orEmpty(context)})),
});

export type ClusterEntry = z.infer<typeof cluster>;
export type UserEntry = z.infer<typeof user>;
export type ExecEntry = z.infer<typeof execPlugin>;

/** All kubeconfig files, merged. */
export interface Kubeconfig {
  /** The existing files, in order of precedence. */
  files: readonly string[];
  currentContext: string | undefined;
  clusters: ReadonlyMap<string, ClusterEntry>;
  users: ReadonlyMap<string, UserEntry>;
  contexts: ReadonlyMap<string, z.infer<typeof context>>;
}

export const emptyCluster: ClusterEntry = cluster.parse({});
export const emptyUser: UserEntry = user.parse({});

/** Reads kubeconfig files like kubectl: the first file that defines an entry wins, and missing files are skipped. */
export function readKubeconfig(explicit: string | undefined, env: NodeJS.ProcessEnv): Kubeconfig {
  const clusters = new Map<string, ClusterEntry>();
  const users = new Map<string, UserEntry>();
  const contexts = new Map<string, z.infer<typeof context>>();
  const files: string[] = [];
  let currentContext: string | undefined;
  for (const path of explicit ? [explicit] : defaultFiles(env)) {
    const file = readFile(path, explicit !== undefined);
    if (!file) continue;
    files.push(path);
    currentContext ??= file['current-context'];
    for (const [what, list] of [
      ['cluster', file.clusters],
      ['user', file.users],
      ['context', file.contexts],
    ] as const)
      refuseTwice(path, what, list);
    for (const entry of file.clusters) addFirst(clusters, entry.name, clusterIn(dirname(path), entry.cluster));
    for (const entry of file.users) addFirst(users, entry.name, userIn(dirname(path), entry.user));
    for (const entry of file.contexts) addFirst(contexts, entry.name, entry.context);
  }
  return {files, currentContext, clusters, users, contexts};
}

function defaultFiles(env: NodeJS.ProcessEnv): string[] {
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter(path => path !== '');
  return listed.length > 0 ? [...new Set(listed)] : [join(homeFolder(env), '.kube', 'config')];
}

const stand = 'kubectl-win-long-word-';

/**
 * js-yaml reads a certificate character by character, which took a tenth of a run. A certificate is one long word, so it is
 * replaced with a short one while the file is parsed.
 */
function readYaml(content: string, path: string): unknown {
  if (content.includes(stand)) return load(content, {filename: path});
  const words: string[] = [];
  const short = content.replace(
    /(?<=^[ \t]*[\w-]+-data:[ \t]+)[A-Za-z0-9+/=]{100,}(?=[ \t]*\r?$)/gm,
    word => `${stand}${words.push(word)}.`,
  );
  const document = load(short, {filename: path});
  if (words.length > 0) putBack(document, words);
  return document;
}

/** Aliases may refer to one object repeatedly, or even to a parent, so each object is visited once. */
function putBack(document: unknown, words: readonly string[]): void {
  const standing = new RegExp(`${stand}(\\d+)\\.`, 'g');
  const seen = new Set<object>();
  const left = [document];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    for (const [key, value] of Object.entries(next)) {
      if (typeof value === 'string')
        Object.assign(next, {[key]: value.replace(standing, (_, n) => words[Number(n) - 1] ?? '')});
      else left.push(value);
    }
  }
}

function readFile(path: string, mustExist: boolean) {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (cause) {
    const {code} = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !mustExist) return undefined;
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code ?? String(cause)})`;
    throw new WinError(`The kubeconfig file ${path} ${why}.`, {
      next: ['Name a readable file with --kubeconfig or KUBECONFIG.'],
      cause,
    });
  }
  let document: unknown;
  try {
    document = readYaml(content, path) ?? {};
  } catch (cause) {
    // As in kubectl, an empty document is a kubeconfig without entries.
    if (content.trim() === '') return kubeconfigFile.parse({});
    throw new WinError(`The kubeconfig file ${path} is not valid YAML: ${firstLine(cause)}.`, {
      next: ['Correct the file, or name another one with --kubeconfig.'],
      cause,
    });
  }
  const parsed = kubeconfigFile.safeParse(document);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue && issue.path.length > 0 ? ` at ${issue.path.join('.')}` : '';
  throw new WinError(`The file ${path} is not a valid kubeconfig${where}: ${issue?.message ?? 'invalid structure'}.`, {
    next: ['Correct the file, or name another one with --kubeconfig.'],
  });
}

const firstLine = (error: unknown) => (error instanceof Error ? error.message : String(error)).split('\n', 1)[0];

/** Across files the first entry wins; duplicates in one file are ambiguous. */
function refuseTwice(path: string, what: string, entries: readonly {name: string}[]): void {
  const seen = new Set<string>();
  for (const {name} of entries) {
    if (seen.has(name)) {
      throw new WinError(`The kubeconfig file ${path} has the ${what} "${name}" twice.`, {
        next: ['Remove one of them, or name another file with --kubeconfig.'],
      });
    }
    seen.add(name);
  }
}

function addFirst<Value>(map: Map<string, Value>, name: string, value: Value): void {
  if (!map.has(name)) map.set(name, value);
}

const clusterIn = (folder: string, entry: ClusterEntry): ClusterEntry => ({
  ...entry,
  'certificate-authority': pathIn(folder, entry['certificate-authority']),
});

const userIn = (folder: string, entry: UserEntry): UserEntry => ({
  ...entry,
  tokenFile: pathIn(folder, entry.tokenFile),
  'client-certificate': pathIn(folder, entry['client-certificate']),
  'client-key': pathIn(folder, entry['client-key']),
  exec: entry.exec && {...entry.exec, command: entry.exec.command && commandIn(folder, entry.exec.command)},
});

const pathIn = (folder: string, path: string | undefined) => path && (isAbsolute(path) ? path : resolve(folder, path));

/** A bare command is searched on the PATH; one with a separator is relative to the kubeconfig file. */
const commandIn = (folder: string, command: string) =>
  command.includes(sep) || command.includes('/') ? (pathIn(folder, command) as string) : command;
