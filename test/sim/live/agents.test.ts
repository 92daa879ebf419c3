import {afterAll, describe, expect, it, vi} from 'vitest';
import {textAt} from '../../../src/sim/json.js';
import {Lab} from '../plans/lab.js';
import type {Reply} from '../support.js';

const labs: Lab[] = [];
async function labOf(...parameters: Parameters<typeof Lab.start>): Promise<Lab> {
  const lab = await Lab.start(...parameters);
  labs.push(lab);
  return lab;
}
afterAll(async () => {
  for (const lab of labs) await lab[Symbol.asyncDispose]();
});

const controllers = {controllers: true, pace: {stepMs: 5, timeScale: 0.005, cutMs: 40, retryMs: 30}};
type Pod = Reply['body'];

async function podsOf(lab: Lab, namespace: string, prefix: string, node = lab.node): Promise<Pod[]> {
  const {body} = await lab.get(`/api/v1/namespaces/${namespace}/pods?fieldSelector=spec.nodeName%3D${node}`);
  return body.items.filter(({metadata}: Pod) => metadata.name.startsWith(prefix));
}

const agentsOf = (lab: Lab) => podsOf(lab, 'kube-system', 'antrea-agent-windows');
const isReady = ({status}: Pod) => status.containerStatuses?.every(({ready}: {ready: boolean}) => ready) ?? false;

/** Deletes the agent's pod and waits for its replacement. */
async function restartAgent(lab: Lab): Promise<Pod> {
  const [old] = await agentsOf(lab);
  await lab.cluster.delete(`/api/v1/namespaces/kube-system/pods/${old.metadata.name}`);
  return vi.waitFor(
    async () => {
      const fresh = (await agentsOf(lab)).find(({metadata}) => metadata.uid !== old.metadata.uid);
      expect(fresh?.status.phase).toBe('Running');
      return fresh;
    },
    {timeout: 10_000},
  );
}

const clear = (lab: Lab) =>
  lab.plan([
    {do: 'ovs.deleteBridge', with: {bridge: 'br-int'}},
    {do: 'service.start', with: {name: 'ovs-vswitchd'}},
  ]);

describe('an agent that starts on a simulated node', () => {
  it('is stuck and restarts repeatedly while something blocks it', async () => {
    const lab = await labOf('antrea-reboot', controllers);
    const fresh = await restartAgent(lab);
    await vi.waitFor(async () => {
      const [pod] = await agentsOf(lab);
      expect(pod.metadata.uid).toBe(fresh.metadata.uid);
      expect(pod.status.containerStatuses[0]).toMatchObject({ready: false});
      expect(pod.status.containerStatuses[0].restartCount).toBeGreaterThan(1);
    });
  });

  it('rebuilds its network after that, interrupts the node briefly, and pods get their addresses', async () => {
    const lab = await labOf('antrea-reboot', controllers);
    await lab.runPlan(clear(lab));
    await restartAgent(lab);
    await vi.waitFor(async () => expect((await agentsOf(lab)).every(isReady)).toBe(true), {timeout: 10_000});
    expect(lab.rows('hnsNetworks').map(({Name}) => Name)).toContain('antrea-hnsnetwork');
    const address = lab.rows('netIPAddresses').find(({IPAddress}) => IPAddress === '10.21.40.61');
    expect(address).toMatchObject({InterfaceAlias: 'br-int'});
    await vi.waitFor(
      async () => {
        const pods = await podsOf(lab, 'shop', '');
        expect(pods).toHaveLength(2);
        expect(pods.every(isReady)).toBe(true);
        const endpoints = lab.rows('hnsEndpoints').map(({IPAddress}) => IPAddress);
        expect(endpoints).toEqual(expect.arrayContaining(pods.map(pod => textAt(pod, 'status', 'podIP'))));
      },
      {timeout: 10_000},
    );
    const slices = (await lab.get('/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices')).body.items;
    expect(slices).toHaveLength(2);
    for (const {endpoints} of slices)
      expect(endpoints.map(({conditions}: Pod) => conditions.ready)).toEqual([true, true]);
  });

  it('with the fault stays stuck, whatever it finds', async () => {
    const lab = await labOf('antrea-healthy', controllers);
    lab.sim.fault({agentStuck: true});
    await restartAgent(lab);
    await vi.waitFor(async () => {
      const [pod] = await agentsOf(lab);
      expect(pod.status.containerStatuses[0].restartCount).toBeGreaterThan(0);
      expect(isReady(pod)).toBe(false);
    });
  });
});

describe('a pod of a ReplicaSet', () => {
  it('comes back on its node with its own endpoint, and leaves nothing of the old one', async () => {
    const lab = await labOf('antrea-healthy', controllers);
    const [old] = await podsOf(lab, 'shop', 'storefront');
    await lab.cluster.delete(`/api/v1/namespaces/shop/pods/${old.metadata.name}`);
    const fresh = await vi.waitFor(
      async () => {
        const [pod, ...others] = await podsOf(lab, 'shop', 'storefront');
        expect(others).toEqual([]);
        expect(pod.metadata.name).not.toBe(old.metadata.name);
        expect(isReady(pod)).toBe(true);
        return pod;
      },
      {timeout: 10_000},
    );
    const endpoints = lab.rows('hnsEndpoints');
    expect(endpoints).toHaveLength(2);
    expect(endpoints.map(({IPAddress}) => IPAddress)).toContain(fresh.status.podIP);
  });

  it('moves to another node if its node is cordoned, as in an eviction', async () => {
    const lab = await labOf('antrea-healthy', controllers);
    await lab.cluster.patch('/api/v1/nodes/win-1', {spec: {unschedulable: true}});
    const [old] = await podsOf(lab, 'shop', 'storefront');
    const {name} = old.metadata;
    const eviction = {apiVersion: 'policy/v1', kind: 'Eviction', metadata: {name, namespace: 'shop'}};
    const {status} = await lab.cluster.post(`/api/v1/namespaces/shop/pods/${name}/eviction`, eviction);
    expect(status).toBe(201);
    await vi.waitFor(
      async () => {
        expect(await podsOf(lab, 'shop', 'storefront')).toEqual([]);
        expect((await podsOf(lab, 'shop', 'storefront', 'win-2')).filter(isReady)).toHaveLength(2);
      },
      {timeout: 10_000},
    );
  });
});

describe('a kubelet', () => {
  it('reports the boot time of its node in its statistics summary', async () => {
    const lab = await labOf('antrea-reboot');
    const path = '/api/v1/nodes/win-1/proxy/stats/summary';
    const booted = textAt(lab.sim.state.sections.os, 'LastBootUpTime');
    const {node} = (await lab.get(path)).body;
    expect(node.nodeName).toBe('win-1');
    expect(Date.parse(node.startTime)).toBe(Date.parse(booted));
    expect((await lab.get('/api/v1/nodes/none/proxy/stats/summary')).status).toBe(404);
    lab.sim.fault({kubeletDown: true});
    expect((await lab.get(path)).status).toBe(500);
  });
});
