import {describe, expect, it} from 'vitest';
import {listNodes} from '../../src/services/nodes.js';
import {json, type LocalServer, localServer, statusBody} from '../kube/local-server.js';

interface ClusterOptions {
  ready?: string | undefined;
  /** The API server's answer to whether kubelets may be asked. */
  mayAsk: boolean;
}

/** An API server with a hundred Windows nodes that denies every request to a kubelet. */
const hundredNodes = ({ready = 'True', mayAsk}: ClusterOptions): Promise<LocalServer> => {
  const items = Array.from({length: 100}, (_, index) => ({
    metadata: {name: `win-${index}`},
    status: {
      nodeInfo: {operatingSystem: 'windows'},
      conditions: ready === '' ? [] : [{type: 'Ready', status: ready}],
    },
  }));
  return localServer({
    onRequest({url = ''}, response) {
      if (url.includes('/proxy/')) json(response, 403, statusBody(403, 'Forbidden', 'no'));
      else if (url.includes('selfsubjectaccessreviews')) json(response, 201, {status: {allowed: mayAsk}});
      else if (url.startsWith('/api/v1/nodes')) json(response, 200, {kind: 'NodeList', apiVersion: 'v1', items});
      else if (url === '/version') json(response, 200, {gitVersion: 'v1.34.0'});
      else json(response, 200, {items: [], groups: []});
    },
  });
};

const listed = async ({url}: LocalServer) => {
  const connection = {server: url, token: 'secret', kubeconfig: '/dev/null'};
  return (await listNodes({connection, names: []}, new AbortController().signal)).rows;
};

describe('nodes', () => {
  it('asks no kubelet without permission, and lists nodes once', async () => {
    await using server = await hundredNodes({mayAsk: false});
    const rows = await listed(server);
    expect(rows).toHaveLength(100);
    expect(rows[0]?.bootedAt).toBeUndefined();
    expect(server.requests.filter(request => request.includes('/proxy/'))).toEqual([]);
    expect(server.requests.filter(request => /^GET \/api\/v1\/nodes\b/.test(request))).toHaveLength(1);
  });

  it('asks no more kubelets after one request was denied', async () => {
    await using server = await hundredNodes({mayAsk: true});
    expect(await listed(server)).toHaveLength(100);
    const asked = server.requests.filter(request => request.includes('/proxy/')).length;
    // Those that were already sent.
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThanOrEqual(20);
  });

  it.each([
    ['True', 'Ready'],
    ['False', 'NotReady'],
    ['Unknown', 'NotReady'],
    ['', 'Unknown'],
  ])('shows Ready=%s as kubectl does: %s', async (ready, status) => {
    await using server = await hundredNodes({ready, mayAsk: false});
    expect((await listed(server))[0]?.status).toBe(status);
  });
});
