import type {V1Node} from '@kubernetes/client-node';
import {describe, expect, it} from 'vitest';
import {connect} from '../../src/kube/client.js';
import {type NodeSelection, nameOfNode, selectNodes} from '../../src/kube/select-nodes.js';
import {ExitCode, WinError} from '../../src/lib/errors.js';
import {json, localServer} from './local-server.js';

const node = (name: string, os: string) =>
  ({
    metadata: {name, labels: {'kubernetes.io/os': os}},
    status: {nodeInfo: {operatingSystem: os}},
  }) as unknown as V1Node;

const cluster = [node('win-2', 'windows'), node('linux-1', 'linux'), node('win-1', 'windows')];

async function select(selection: NodeSelection, nodes: readonly V1Node[] = cluster): Promise<string[] | WinError> {
  await using server = await localServer({onRequest: (_, response) => json(response, 200, {items: nodes})});
  const client = connect({server: server.url}, {HOME: '/nowhere'});
  try {
    return (await selectNodes(client, selection)).map(nameOfNode);
  } catch (error) {
    if (error instanceof WinError) return error;
    throw error;
  }
}

describe('selecting nodes', () => {
  it('selects all Windows nodes by name by default', async () => {
    expect(await select({})).toEqual(['win-1', 'win-2']);
  });

  it('selects the named nodes once each, also in kubectl notation', async () => {
    expect(await select({names: ['node/win-2', 'win-2']})).toEqual(['win-2']);
  });

  it('keeps the order in which nodes are named', async () => {
    expect(await select({names: ['win-2', 'win-1']})).toEqual(['win-2', 'win-1']);
  });

  it('recognises a Windows node by its label if it has not reported yet', async () => {
    expect(await select({}, [{metadata: {name: 'new', labels: {'kubernetes.io/os': 'windows'}}}])).toEqual(['new']);
  });

  it('suggests the nearest names for a typo', async () => {
    const error = (await select({names: ['win1']})) as WinError;
    expect(error.message).toBe('Node "win1" not found.');
    expect(error.next).toEqual(['Did you mean win-1 or win-2?']);
    expect(error.exit).toBe(ExitCode.usage);
  });

  it('reports a node that is not a Windows node', async () => {
    const error = (await select({names: ['linux-1']})) as WinError;
    expect(error.message).toBe('Node "linux-1" is not a Windows node (operating system: linux).');
  });

  it('reports the selection if there is none', async () => {
    const error = (await select({selector: 'pool=a'}, [node('linux-1', 'linux')])) as WinError;
    expect(error.message).toContain('No Windows nodes found among the 1 nodes that match "pool=a"');
    expect(error.exit).toBe(ExitCode.usage);
  });

  it('rejects names together with a selector', async () => {
    expect(await select({names: ['win-1'], selector: 'a=b'})).toBeInstanceOf(WinError);
  });
});
