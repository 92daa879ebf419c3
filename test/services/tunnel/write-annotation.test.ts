import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {writeAnnotation} from '../../../src/services/tunnel/write-annotation.js';
import {nodeType} from '../../../src/sim/api/resource-types.js';
import {type SimulatedCluster, simulatedCluster} from '../../kube/simulated.js';
import {annotation} from './support.js';

let cluster: SimulatedCluster;
let node: string;
beforeEach(async () => {
  cluster = await simulatedCluster();
  node = (await cluster.windowsNode()).metadata?.name ?? '';
});
afterEach(() => cluster[Symbol.asyncDispose]());

const write = (before: string | undefined, after: string | undefined, dryRun = false) =>
  writeAnnotation(cluster.client, {node, before, after}, {dryRun});
const stored = () => cluster.simulation.store.get(nodeType, undefined, node).metadata;

/** Lets another client write to the node between our read and our write. */
function meanwhile(change: (annotations: Record<string, string>) => void, times = 1): void {
  const {client, simulation} = cluster;
  const get = client.get.bind(client);
  let left = times;
  client.get = async (path, options) => {
    const answer = await get(path, options);
    if (left-- <= 0) return answer as never;
    const object = simulation.store.get(nodeType, undefined, node);
    const annotations = {...object.metadata.annotations};
    change(annotations);
    simulation.store.update(nodeType, {...object, metadata: {...object.metadata, annotations}});
    return answer as never;
  };
}

describe('writing the annotation', () => {
  it('names the previous field manager, unless it is our own', async () => {
    const takenFrom: string[] = [];
    const onTakeOver = (author: string) => takenFrom.push(author);
    const change = (before: string | undefined, after: string) =>
      writeAnnotation(cluster.client, {node, before, after}, {dryRun: false, onTakeOver});
    const patch = {metadata: {annotations: {[annotation]: 'Ethernet 1'}}};
    await cluster.client.request('PATCH', `/api/v1/nodes/${node}`, {
      query: {fieldManager: 'argocd-controller'},
      body: patch,
      contentType: 'application/merge-patch+json',
    });
    await change('Ethernet 1', 'Ethernet 2');
    expect(takenFrom).toEqual([expect.stringMatching(/^argocd-controller at \d{4}-/)]);
    await change('Ethernet 2', 'Ethernet 3');
    expect(takenFrom).toHaveLength(1);
  });

  it('sets, replaces and removes it, as the field manager kubectl-win', async () => {
    await write(undefined, 'Ethernet 2');
    expect(stored().annotations?.[annotation]).toBe('Ethernet 2');
    const managers = stored().managedFields?.filter(({fieldsV1}) => JSON.stringify(fieldsV1).includes(annotation));
    expect(managers?.map(({manager}) => manager)).toEqual(['kubectl-win']);
    await write('Ethernet 2', 'Ethernet0');
    expect(stored().annotations?.[annotation]).toBe('Ethernet0');
    await write('Ethernet0', undefined);
    expect(stored().annotations).not.toHaveProperty([annotation]);
  });

  it('leaves the other annotations alone', async () => {
    const before = {...stored().annotations};
    await write(undefined, 'Ethernet0');
    expect(stored().annotations).toEqual({...before, [annotation]: 'Ethernet0'});
  });

  it('stores nothing in a dry run', async () => {
    const answer = await write(undefined, 'Ethernet0', true);
    expect(answer.metadata?.annotations?.[annotation]).toBe('Ethernet0');
    expect(stored().annotations).not.toHaveProperty([annotation]);
  });
});

describe('a concurrent writer', () => {
  it('is named, with what was written, and nothing is overwritten', async () => {
    await write(undefined, 'Ethernet1');
    await expect(write(undefined, 'Ethernet0')).rejects.toThrow(
      /was changed while .* \(was not set, is Ethernet1, written by kubectl-win at 20.*\); nothing was written/,
    );
    expect(stored().annotations?.[annotation]).toBe('Ethernet1');
  });

  it('is also detected between read and write', async () => {
    meanwhile(annotations => {
      annotations[annotation] = 'Ethernet1';
    });
    await expect(write(undefined, 'Ethernet0')).rejects.toThrow(/is Ethernet1/);
    expect(stored().annotations?.[annotation]).toBe('Ethernet1');
  });

  it('is not a conflict if it changes something else, as kubelets do all the time', async () => {
    meanwhile(annotations => {
      annotations['example.com/heartbeat'] = String(Math.random());
    }, 3);
    await write(undefined, 'Ethernet0');
    expect(stored().annotations?.[annotation]).toBe('Ethernet0');
  });

  it('makes it give up if it never stops', async () => {
    meanwhile(annotations => {
      annotations['example.com/heartbeat'] = String(Math.random());
    }, 100);
    await expect(write(undefined, 'Ethernet0')).rejects.toThrow(/kept changing .*nothing was written/);
  });
});

it('reports that a node no longer exists', async () => {
  await cluster.client.remove(`/api/v1/nodes/${node}`);
  await expect(write(undefined, 'Ethernet0')).rejects.toThrow(`the node ${node} no longer exists.`);
});
