import type {V1DaemonSet, V1Pod} from '@kubernetes/client-node';
import {describe, expect, it} from 'vitest';
import {collect} from '../../src/helper/collect.js';
import {fleetStatus, installHelpers, pruneHelpers, uninstallHelpers} from '../../src/helper/fleet.js';
import {waitForFleet} from '../../src/helper/fleet-start.js';
import {HelperRun} from '../../src/helper/helper-run.js';
import {helperPod} from '../../src/helper/manifests.js';
import {ExitCode} from '../../src/lib/errors.js';
import {type SimulatedCluster, simulatedCluster} from '../kube/simulated.js';

const namespace = 'kubectl-win';
const daemonSets = `/apis/apps/v1/namespaces/${namespace}/daemonsets`;

/** The pod that the DaemonSet's controller would make on a node; the simulation has no such controller. */
async function podOfDaemonSet({client}: SimulatedCluster, node: string): Promise<void> {
  const {spec} = await client.get<V1DaemonSet>(`${daemonSets}/kubectl-win-helper`);
  const {metadata, spec: podSpec} = spec?.template ?? {};
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const pod = await client.create<V1Pod>(path, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {...metadata, name: 'kubectl-win-helper-abcde'},
    spec: {...podSpec, nodeName: node},
  });
  const {resourceVersion = ''} = pod.metadata ?? {};
  for await (const {object} of client.watch<V1Pod>(path, {resourceVersion})) {
    if (object.status?.phase === 'Running') return;
  }
}

describe('installed helpers', () => {
  it('are a DaemonSet on Windows nodes that says whether it is up to date', async () => {
    await using cluster = await simulatedCluster();
    const {client} = cluster;
    await installHelpers(client, {namespace, image: 'registry.example/base:1'});
    const {spec} = await client.get<V1DaemonSet>(`${daemonSets}/kubectl-win-helper`);
    expect(spec?.template.spec).toMatchObject({
      nodeSelector: {'kubernetes.io/os': 'windows'},
      hostNetwork: true,
      securityContext: {windowsOptions: {hostProcess: true}},
    });
    const {installed} = await fleetStatus(client, {namespace});
    expect(installed).toMatchObject({name: 'kubectl-win-helper', image: 'registry.example/base:1', upToDate: true});
  });

  it('are waited for until they run on all nodes', async () => {
    await using cluster = await simulatedCluster({}, {controllers: true});
    await installHelpers(cluster.client, {namespace});
    const start = await waitForFleet(cluster.client, {namespace, timeoutMs: 30_000});
    expect(start.desired).toBeGreaterThan(0);
    expect(start.ready).toBe(start.desired);
  });

  it('that do not come are told of with what the cluster says about the DaemonSet', async () => {
    await using cluster = await simulatedCluster(
      {namespaces: {tools: {labels: {}}}, podSecurity: 'baseline'},
      {controllers: true},
    );
    await installHelpers(cluster.client, {namespace: 'tools'});
    const waiting = waitForFleet(cluster.client, {namespace: 'tools', timeoutMs: 30_000, graceMs: 100});
    await expect(waiting).rejects.toMatchObject({
      message: expect.stringMatching(
        /no pod of it comes up\. FailedCreate: Error creating: .* violates PodSecurity "baseline/,
      ),
      next: [expect.stringContaining('kubectl label namespace tools'), expect.stringContaining('helper uninstall')],
      exit: ExitCode.uninspected,
    });
  });

  it('whose controller is not there are told of too', async () => {
    await using cluster = await simulatedCluster();
    await installHelpers(cluster.client, {namespace});
    const waiting = waitForFleet(cluster.client, {namespace, timeoutMs: 200});
    await expect(waiting).rejects.toThrow('check that the controller manager runs');
  });

  it('are brought up to date by installing again, and leave old scripts nowhere', async () => {
    await using cluster = await simulatedCluster();
    const {client} = cluster;
    await installHelpers(client, {namespace});
    const labels = {'kubectl-win/script': 'old'};
    await client.patch(`${daemonSets}/kubectl-win-helper`, 'merge', {metadata: {labels}});
    await client.create(`/api/v1/namespaces/${namespace}/configmaps`, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {name: 'kubectl-win-old', labels: {'app.kubernetes.io/component': 'installed-helper'}},
    });
    expect((await fleetStatus(client, {namespace})).installed?.upToDate).toBe(false);
    await installHelpers(client, {namespace});
    expect((await fleetStatus(client, {namespace})).installed?.upToDate).toBe(true);
    expect(await cluster.leftovers()).toEqual([expect.stringMatching(/^kubectl-win-[0-9a-f]{12}$/)]);
  });

  it('are used without a new pod, and stay when the command ends', async () => {
    await using cluster = await simulatedCluster();
    await installHelpers(cluster.client, {namespace});
    const node = await cluster.windowsNode();
    await podOfDaemonSet(cluster, node.metadata?.name ?? '');
    const run = new HelperRun(cluster.client, {startTimeoutMs: 5000});
    const session = await run.open(node);
    expect(session).toMatchObject({pod: 'kubectl-win-helper-abcde', installed: true});
    const {sections} = await collect(session, {sections: ['os'], deadlineMs: 5000, sectionTimeoutMs: 1000});
    expect(sections).toHaveProperty('os');
    await session.close();
    await run.close();
    expect(await cluster.leftovers()).toContain('kubectl-win-helper-abcde');
  });

  it('are removed with their scripts', async () => {
    await using cluster = await simulatedCluster();
    await installHelpers(cluster.client, {namespace});
    expect(await uninstallHelpers(cluster.client, {namespace})).toBe(true);
    expect(await uninstallHelpers(cluster.client, {namespace})).toBe(false);
    expect((await fleetStatus(cluster.client, {namespace})).installed).toBeUndefined();
    expect(await cluster.leftovers()).toEqual([]);
  });
});

describe('what runs have left behind', () => {
  it('is shown with its owner and pruned; a run at work is spared unless all is asked for', async () => {
    await using cluster = await simulatedCluster();
    const {client} = cluster;
    const run = new HelperRun(client, {startTimeoutMs: 5000});
    const node = await cluster.windowsNode();
    await run.open(node);
    const dead = helperPod({
      run: 'dead',
      namespace,
      owner: 'someone@somewhere',
      expires: new Date(0),
      name: 'kubectl-win-dead',
      node: node.metadata?.name ?? '',
      configMap: 'gone',
      lifetimeSeconds: 60,
    });
    await client.create(`/api/v1/namespaces/${namespace}/pods`, dead);

    const {runs} = await fleetStatus(client, {namespace});
    expect(runs.find(({run: id}) => id === 'dead')).toMatchObject({owner: 'someone@somewhere', over: true});
    expect(runs.find(({run: id}) => id === run.id)).toMatchObject({over: false, pods: [{node: node.metadata?.name}]});

    expect((await pruneHelpers(client, {namespace})).map(({run: id}) => id)).toEqual(['dead']);
    expect(await cluster.leftovers()).toHaveLength(2);
    expect((await pruneHelpers(client, {namespace, all: true})).map(({run: id}) => id)).toEqual([run.id]);
    expect(await cluster.leftovers()).toEqual([]);
    await run.close();
  });
});
