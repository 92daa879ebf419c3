import type {ConnectionFlags} from '../../kube/kubeconfig.js';
import type {KnownName} from '../../services/completion-names.js';
import type {Candidate, Sources} from './complete.js';
import type {KnownNode} from './node-cache.js';

/** Short, because the user is waiting at the prompt. */
const patience = 2_000;

/** Names from the cluster and the program, read on demand. */
export function sourcesFor(words: readonly string[]): Sources {
  return {
    nodes: async () => (await nodesOf(words)).map(({name}) => ({value: name})),
    adapters: async () => {
      const nodes = await nodesOf(words);
      const names = new Set(nodes.flatMap(({tunnel}) => (tunnel === undefined ? [] : [tunnel])));
      return [...names].sort().map(value => ({value, description: 'tunnel interface of another node'}));
    },
    checks: async () => {
      const {checkNames} = await import('../../services/completion-names.js');
      return candidates(checkNames());
    },
    plugins: async () => {
      const {pluginNames} = await import('../../services/completion-names.js');
      return candidates(pluginNames());
    },
    installable: async () => {
      const {installableNames} = await import('../../services/completion-names.js');
      return candidates(installableNames());
    },
    contexts: () => entriesOf(words, 'contexts'),
    clusters: () => entriesOf(words, 'clusters'),
    users: () => entriesOf(words, 'users'),
  };
}

const candidates = (names: readonly KnownName[]): Candidate[] =>
  names.map(({name, title}) => ({value: name, description: title}));

/** The names in the kubeconfig. */
async function entriesOf(words: readonly string[], kind: 'contexts' | 'clusters' | 'users'): Promise<Candidate[]> {
  const {readKubeconfig} = await import('../../kube/kubeconfig-file.js');
  const {kubeconfig} = connectionIn(words);
  return [...readKubeconfig(kubeconfig, process.env)[kind].keys()].map(value => ({value}));
}

async function nodesOf(words: readonly string[]): Promise<KnownNode[]> {
  const {knownNodes} = await import('./node-cache.js');
  const connection = connectionIn(words);
  return knownNodes(() => readNodes(connection), JSON.stringify([process.env.KUBECONFIG, connection]));
}

async function readNodes(connection: ConnectionFlags): Promise<KnownNode[]> {
  const {annotatedNodes} = await import('../../services/annotated-nodes.js');
  return annotatedNodes(connection, AbortSignal.timeout(patience));
}

/** The cluster flags among the words, which may be incomplete and are not parsed yet. */
function connectionIn(words: readonly string[]): ConnectionFlags {
  const value = (name: string) => {
    const joined = words.findLast(word => word.startsWith(`--${name}=`));
    const at = words.lastIndexOf(`--${name}`);
    return joined?.slice(name.length + 3) ?? (at < 0 ? undefined : words[at + 1]);
  };
  const names = ['kubeconfig', 'context', 'cluster', 'user'] as const;
  return Object.fromEntries(names.map(name => [name, value(name)]));
}
