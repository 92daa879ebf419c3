import type {V1Node} from '@kubernetes/client-node';
import {connect} from '../kube/client.js';
import type {ConnectionFlags} from '../kube/kubeconfig.js';
import {nameOfNode, selectNodes} from '../kube/select-nodes.js';

/** A Windows node to choose from. */
export interface NodeChoice {
  readonly name: string;
  /** Columns that help to identify the node. */
  readonly about: readonly string[];
}

/** The Windows nodes, for a command that requires a node and was given none. */
export async function nodeChoices(connection: ConnectionFlags, signal: AbortSignal): Promise<NodeChoice[]> {
  const client = connect(connection);
  try {
    const nodes = await selectNodes(client, {}, {signal});
    return nodes.map(node => ({name: nameOfNode(node), about: aboutNode(node)}));
  } finally {
    await client.close();
  }
}

function aboutNode({status}: V1Node): string[] {
  const ready = status?.conditions?.find(({type}) => type === 'Ready')?.status === 'True';
  const address = status?.addresses?.find(({type}) => type === 'InternalIP')?.address;
  return [ready ? 'Ready' : 'NotReady', address ?? '', status?.nodeInfo?.osImage ?? ''];
}
