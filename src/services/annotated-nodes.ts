import {connect} from '../kube/client.js';
import type {ConnectionFlags} from '../kube/kubeconfig.js';
import {nameOfNode, selectNodes} from '../kube/select-nodes.js';
import {tunnelAnnotation} from '../plugins/annotated-tunnel.js';

/** A Windows node with the value of its tunnel interface annotation. */
export interface AnnotatedNode {
  readonly name: string;
  readonly tunnel?: string;
}

export async function annotatedNodes(connection: ConnectionFlags, signal: AbortSignal): Promise<AnnotatedNode[]> {
  const client = connect(connection);
  try {
    const nodes = await selectNodes(client, {}, {signal});
    return nodes.map(node => {
      const tunnel = node.metadata?.annotations?.[tunnelAnnotation];
      return {name: nameOfNode(node), ...(tunnel !== undefined && {tunnel})};
    });
  } finally {
    await client.close();
  }
}
