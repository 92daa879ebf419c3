import type {V1Node} from '@kubernetes/client-node';
import type {ConnectionFlags} from '../kube/kubeconfig.js';
import {type Streams, wantsColour} from '../lib/streams.js';

/** Lets a person at the terminal pick one of the Windows nodes, for a command that needs one and got none. */
export async function askForNode(connection: ConnectionFlags, streams: Streams, signal: AbortSignal): Promise<string> {
  const [{connect}, {nodeName, selectNodes}] = await Promise.all([
    import('../kube/client.js'),
    import('../kube/nodes.js'),
  ]);
  const client = connect(connection);
  try {
    const nodes = await selectNodes(client, {}, {signal});
    const {pickNode} = await import('../view/ink/node-picker.js');
    const output = streams.err as NodeJS.WriteStream;
    const choices = nodes.map(node => ({name: nodeName(node), about: aboutNode(node)}));
    const asking = {input: process.stdin, output, colour: wantsColour(output, streams.env), signal};
    return await pickNode({title: 'Which node?', choices}, asking);
  } finally {
    await client.close();
  }
}

function aboutNode({status}: V1Node): string[] {
  const ready = status?.conditions?.find(({type}) => type === 'Ready')?.status === 'True';
  const address = status?.addresses?.find(({type}) => type === 'InternalIP')?.address;
  return [ready ? 'Ready' : 'NotReady', address ?? '', status?.nodeInfo?.osImage ?? ''];
}
