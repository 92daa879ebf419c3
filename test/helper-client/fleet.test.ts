import type {V1DaemonSet, V1Pod, V1PodSpec} from '@kubernetes/client-node';
import {describe, expect, it} from 'vitest';
import {collect} from '../../src/helper/collect-sections.js';
import {fleetStatus, installHelpers, pruneHelpers, uninstallHelpers} from '../../src/helper/fleet.js';
import {waitForFleet} from '../../src/helper/fleet-start.js';
import {HelperRun} from '../../src/helper/helper-run.js';
import {helperPod} from '../../src/helper/manifests.js';
import {ExitCode} from '../../src/lib/errors.js';
import {type SimulatedCluster, simulatedCluster} from '../kube/simulated.js';

const namespace = 'kubectl-win';
const daemonSets = `/apis/apps/v1/namespaces/${namespace}/daemonsets`;

/** The pod that the DaemonSet controller would create on a node; this simulation has no controllers. */
async function podOfDaemonSet({client}: SimulatedCluster, node: string, change = (pod: V1Pod) => pod): Promise<void> {
  const {spec, metadata: own} = await client.get<V1DaemonSet>(`${daemonSets}/kubectl-win-helper`);
  const {metadata, spec: podSpec} = spec?.template ?? {};
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    name: own?.name ?? '',
    uid: own?.uid ?? '',
    controller: true,
  };
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const made: V1Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {...metadata, name: 'kubectl-win-helper-abcde', ownerReferences: [owner]},
    spec: {containers: [], ...podSpec, nodeName: node},
  };
  const pod = await client.create<V1Pod>(path, change(made));
  const {resourceVersion = ''} = pod.metadata ?? {};
  for await (const {object} of client.watch<V1Pod>(path, {resourceVersion})) {
    if (object.status?.phase === 'Running') return;
  }
}

describe('installed helpers', () => {
  it('are a DaemonSet on Windows nodes that shows whether it is up to date', async () => {
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

  it("that do not start are reported with the cluster's messages about the DaemonSet", async () => {
    await using cluster = await simulatedCluster(
      {namespaces: {tools: {labels: {}}}, podSecurity: 'baseline'},
      {controllers: true},
    );
    await installHelpers(cluster.client, {namespace: 'tools'});
    const waiting = waitForFleet(cluster.client, {namespace: 'tools', timeoutMs: 30_000, graceMs: 100});
    await expect(waiting).rejects.toMatchObject({
      // Each attempted pod has its own event.
      message: expect.stringMatching(
        /none of its pods started\. FailedCreate: Error creating: (?!.*FailedCreate).* violates PodSecurity "baseline/,
      ),
      next: [
        'Allow privileged pods in namespace tools: label it pod-security.kubernetes.io/enforce=privileged.',
        'To remove it: kubectl win helper uninstall --helper-namespace tools',
      ],
      exit: ExitCode.denied,
    });
  });

  it('without a controller are reported too', async () => {
    await using cluster = await simulatedCluster();
    await installHelpers(cluster.client, {namespace});
    const waiting = waitForFleet(cluster.client, {namespace, timeoutMs: 200});
    await expect(waiting).rejects.toThrow('check that kube-controller-manager is running');
  });

  it('are updated by installing again, and leave no old scripts', async () => {
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

  it('are used without a new pod, and stay after the command exits', async () => {
    await using cluster = await simulatedCluster();
    await installHelpers(cluster.client, {namespace});
    const node = await cluster.windowsNode();
    await podOfDaemonSet(cluster, node.metadata?.name ?? '');
    const run = new HelperRun(cluster.client, {startTimeoutMs: 5000});
    const session = await run.open(node);
    expect(session).toMatchObject({pod: 'kubectl-win-helper-abcde', installed: true});
    const {read} = await collect(session, {sections: ['os'], deadlineMs: 5000, sectionTimeoutMs: 1000});
    expect(read().sections).toHaveProperty('os');
    await session.close();
    await run.close();
    expect(await cluster.leftovers()).toContain('kubectl-win-helper-abcde');
  });

  const withSpec = (pod: V1Pod, spec: object): V1Pod => ({...pod, spec: {...pod.spec, ...spec} as V1PodSpec});
  const inContainer = (pod: V1Pod, changes: object) =>
    withSpec(pod, {containers: (pod.spec?.containers ?? []).map(container => ({...container, ...changes}))});

  it.each<[string, (pod: V1Pod) => V1Pod]>([
    ['without an owner', pod => ({...pod, metadata: {...pod.metadata, ownerReferences: []}})],
    [
      'of another owner',
      pod => ({
        ...pod,
        metadata: {
          ...pod.metadata,
          ownerReferences: [
            {apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'kubectl-win-helper', uid: 'x', controller: true},
          ],
        },
      }),
    ],
    ['that is not HostProcess', pod => withSpec(pod, {securityContext: {}, hostNetwork: false})],
    ['with another image', pod => inContainer(pod, {image: 'registry.example/other:1'})],
    ['with another command', pod => inContainer(pod, {command: ['cmd.exe']})],
    ['with arguments', pod => inContainer(pod, {args: ['-x']})],
    ['with an additional variable', pod => inContainer(pod, {env: [{name: 'PATH', value: 'C:\\evil'}]})],
    [
      'with an additional container',
      pod => withSpec(pod, {containers: [...(pod.spec?.containers ?? []), {...pod.spec?.containers[0], name: 'more'}]}),
    ],
    ['with other scripts', pod => withSpec(pod, {volumes: [{name: 'scripts', configMap: {name: 'evil'}}]})],
  ])('are not confused with a pod %s', async (_, change) => {
    await using cluster = await simulatedCluster();
    await installHelpers(cluster.client, {namespace});
    const node = await cluster.windowsNode();
    await podOfDaemonSet(cluster, node.metadata?.name ?? '', change);
    const run = new HelperRun(cluster.client, {startTimeoutMs: 5000});
    const session = await run.open(node);
    expect(session.installed).toBe(false);
    expect(session.pod).not.toBe('kubectl-win-helper-abcde');
    await run.close();
  });

  it('replace our own DaemonSet including everything that was added to it', async () => {
    await using cluster = await simulatedCluster();
    const {client} = cluster;
    await installHelpers(client, {namespace, cleanupOnBoot: true});
    const path = `${daemonSets}/kubectl-win-helper`;
    const evil = {name: 'evil', image: 'registry.example/evil:1', command: ['cmd.exe']};
    await client.patch(path, 'strategic', {spec: {template: {spec: {containers: [evil]}}}});
    expect((await client.get<V1DaemonSet>(path)).spec?.template.spec?.containers).toHaveLength(2);
    await installHelpers(client, {namespace});
    const {metadata, spec} = await client.get<V1DaemonSet>(path);
    expect(spec?.template.spec?.containers.map(({name}) => name)).toEqual(['helper']);
    expect(metadata?.annotations).toHaveProperty('kubectl-win/cleanup-on-boot', 'true');
  });

  it('leave a foreign DaemonSet alone, and create nothing', async () => {
    await using cluster = await simulatedCluster({namespaces: {'kubectl-win': {labels: {}}}});
    const {client} = cluster;
    const labels = {app: 'other'};
    const containers = [{name: 'other', image: 'registry.example/other:1'}];
    await client.create(daemonSets, {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: {name: 'kubectl-win-helper', labels},
      spec: {selector: {matchLabels: labels}, template: {metadata: {labels}, spec: {containers}}},
    });
    await expect(installHelpers(client, {namespace})).rejects.toMatchObject({
      message: 'The DaemonSet kubectl-win-helper in namespace kubectl-win was not created by kubectl win.',
    });
    expect(await cluster.leftovers()).toEqual([]);
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

describe('leftovers of runs', () => {
  it('are shown with their owner and pruned; an active run is spared unless --all is given', async () => {
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

    const idsOf = (runs: readonly {run: string}[]) => runs.map(({run: id}) => id);
    const {removed, kept} = await pruneHelpers(client, {namespace});
    expect([idsOf(removed), idsOf(kept)]).toEqual([['dead'], [run.id]]);
    expect(await cluster.leftovers()).toHaveLength(2);
    expect(idsOf((await pruneHelpers(client, {namespace, all: true})).removed)).toEqual([run.id]);
    expect(await cluster.leftovers()).toEqual([]);
    await run.close();
  });
});
