import type {Result} from '../model/result.js';
import type {NodeReport} from './report.js';

export interface PeerComparison {
  readonly nodes: readonly NodeReport[];
  /**
   * Findings on all nodes of a plugin: reported once for the cluster, as information, in addition to those of the
   * nodes.
   */
  readonly shared: readonly Result[];
}

/** Counts how many nodes with the same plugin share each finding. */
export function comparePeers(nodes: readonly NodeReport[]): PeerComparison {
  const byPlugin = Map.groupBy(
    nodes.filter(({inspected}) => inspected),
    ({cni}) => cni.name,
  );
  const marked = new Map<NodeReport, NodeReport>();
  const shared: Result[] = [];
  for (const peers of byPlugin.values()) {
    if (peers.length < 2) continue;
    const failing = countFailing(peers);
    for (const node of peers.filter(({results}) => results.some(isFailed)))
      marked.set(node, {...node, results: node.results.map(result => withPeers(result, failing, peers))});
    for (const [id, count] of failing) if (count === peers.length) shared.push(sharedBy(id, peers));
  }
  return {
    nodes: nodes.map(node => marked.get(node) ?? node),
    shared: shared.sort((one, other) => (one.id < other.id ? -1 : 1)),
  };
}

const isFailed = ({outcome}: Result) => outcome === 'fail';

function countFailing(peers: readonly NodeReport[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const {results} of peers) {
    const ids = new Set(results.filter(isFailed).map(({id}) => id));
    for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

function withPeers(result: Result, failing: ReadonlyMap<string, number>, peers: readonly NodeReport[]): Result {
  if (!isFailed(result)) return result;
  return {...result, peers: {failing: failing.get(result.id) ?? 1, of: peers.length}};
}

function sharedBy(id: string, peers: readonly NodeReport[]): Result {
  const example = peers[0]?.results.find(result => result.id === id && result.outcome === 'fail') as Result;
  const {remedy: _, causedBy: __, explains: ___, ...rest} = example;
  return {
    ...rest,
    outcome: 'info',
    severity: 'info',
    message: `All ${peers.length} ${peers[0]?.cni.name} nodes are affected; check for a common cause in the cluster before you repair node by node. On ${peers[0]?.name}: ${example.message}`,
  };
}
