import type {ServerResponse} from 'node:http';
import {expect, it} from 'vitest';
import {connect} from '../../../src/kube/client.js';
import {runClientStep} from '../../../src/services/cleanup/run-client-steps.js';
import {json, localServer, statusBody} from '../../kube/local-server.js';

const {signal} = new AbortController();
const plan = {id: 'c0ffee00-0000-4000-8000-000000000000', node: 'win-1'};
const clientOf = (server: string) => connect({server, token: 'secret'}, {HOME: '/nowhere'});

const storefront = {
  metadata: {name: 'storefront-1', namespace: 'shop', uid: '1', ownerReferences: [{kind: 'ReplicaSet', name: 's'}]},
  spec: {nodeName: 'win-1'},
};

/** As the API server answers: without Retry-After, and with the budget among the causes. */
function refuse(response: ServerResponse): void {
  const message = "Cannot evict pod as it would violate the pod's disruption budget.";
  const causes = [
    {reason: 'DisruptionBudget', message: 'The disruption budget storefront needs 2 healthy pods and has 2 currently'},
  ];
  json(response, 429, {...statusBody(429, 'TooManyRequests', message), details: {causes}});
}

it('drain waits for a PodDisruptionBudget, and names it', async () => {
  let evictions = 0;
  await using server = await localServer({
    onRequest({method, url = ''}, response) {
      if (method === 'POST') {
        evictions += 1;
        if (evictions === 1) refuse(response);
        else json(response, 201, {});
      } else if (url.startsWith('/api/v1/pods')) json(response, 200, {kind: 'PodList', items: [storefront]});
      else json(response, 404, statusBody(404, 'NotFound', 'pods "storefront-1" not found'));
    },
  });
  const waits: string[] = [];
  const step = {do: 'node.drain', with: {node: 'win-1', force: false}} as const;
  await runClientStep(clientOf(server.url), plan, step, {signal, waitMs: 1000, onWait: why => waits.push(why)});
  expect(evictions).toBe(2);
  expect(waits).toEqual([
    'shop/storefront-1 cannot be evicted yet: PodDisruptionBudget storefront needs 2 healthy pods and has 2 currently.',
  ]);
});

it('uncordon is retried while the API server is unavailable, and not if it is forbidden', async () => {
  let answers = 0;
  await using server = await localServer({
    onRequest(request, response) {
      answers += 1;
      if (answers === 1) request.socket.destroy();
      else if (answers === 2) json(response, 503, statusBody(503, 'ServiceUnavailable', 'starting'));
      else if (answers === 3) json(response, 200, {});
      else json(response, 403, statusBody(403, 'Forbidden', 'nodes "win-1" is forbidden: by a policy'));
    },
  });
  const uncordon = {do: 'node.uncordon', with: {node: 'win-1'}} as const;
  const options = {signal, waitMs: 20_000, onWait: () => {}};
  const client = clientOf(server.url);
  await runClientStep(client, plan, uncordon, options);
  expect(answers).toBe(3);
  await expect(runClientStep(client, plan, uncordon, options)).rejects.toThrow('by a policy');
  expect(answers).toBe(4);
});
