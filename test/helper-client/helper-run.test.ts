import type {V1ConfigMap, V1Namespace, V1Node, V1Pod} from '@kubernetes/client-node';
import {describe, expect, it} from 'vitest';
import {collect} from '../../src/helper/collect-sections.js';
import {HelperRun} from '../../src/helper/helper-run.js';
import {ExitCode, WinError} from '../../src/lib/errors.js';
import {simulatedCluster} from '../kube/simulated.js';

const options = {startTimeoutMs: 5000, stuckGraceMs: 50};
const request = {sections: ['os', 'hnsNetworks'], deadlineMs: 5000, sectionTimeoutMs: 1000, pauseMs: 0};

async function failure(work: Promise<unknown>): Promise<WinError> {
  const error = await work.then(
    () => new Error('it did not fail'),
    reason => reason,
  );
  if (error instanceof WinError) return error;
  throw error;
}

describe('a helper on a node', () => {
  it('runs as SYSTEM on the host, bypasses the scheduler, and names its creator', async () => {
    await using cluster = await simulatedCluster();
    const run = new HelperRun(cluster.client, {...options, lifetimeMs: 600_000});
    const session = await run.open(await cluster.windowsNode());
    const pod = await cluster.client.get<V1Pod>(`/api/v1/namespaces/kubectl-win/pods/${session.pod}`);
    expect(pod.metadata?.labels).toMatchObject({
      'app.kubernetes.io/name': 'kubectl-win',
      'app.kubernetes.io/managed-by': 'kubectl-win',
      'kubectl-win/run': run.id,
    });
    expect(pod.metadata?.annotations?.['kubectl-win/owner']).toMatch(/^.+@.+ at \d{4}-/);
    expect(pod.spec).toMatchObject({
      nodeName: session.node,
      hostNetwork: true,
      os: {name: 'windows'},
      restartPolicy: 'Never',
      activeDeadlineSeconds: 600,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      tolerations: expect.arrayContaining([{operator: 'Exists'}]),
      securityContext: {windowsOptions: {hostProcess: true, runAsUserName: 'NT AUTHORITY\\SYSTEM'}},
    });
    expect(pod.spec?.containers[0]?.command?.at(-1)).toBe('Start-Sleep -Seconds 600');
    expect(pod.spec?.containers[0]?.env).toContainEqual({
      name: 'KUBECTL_WIN_NODE',
      valueFrom: {fieldRef: {fieldPath: 'spec.nodeName'}},
    });
    await run.close();
  });

  it('gets its scripts from one immutable ConfigMap for any number of nodes', async () => {
    await using cluster = await simulatedCluster();
    const run = new HelperRun(cluster.client, options);
    const node = await cluster.windowsNode();
    await Promise.all([run.open(node), run.open(node), run.open(node)]);
    const {items} = await cluster.client.list<V1ConfigMap>('/api/v1/namespaces/kubectl-win/configmaps', {
      labelSelector: 'app.kubernetes.io/name=kubectl-win',
    });
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({immutable: true});
    expect(items[0]?.metadata?.name).toMatch(/^kubectl-win-[0-9a-f]{12}-[0-9a-f]{10}$/);
    await run.close();
    expect(await cluster.leftovers()).toEqual([]);
  });

  it('answers, and is then removed; the namespace stays and allows privileged pods', async () => {
    await using cluster = await simulatedCluster();
    const run = new HelperRun(cluster.client, options);
    const session = await run.open(await cluster.windowsNode());
    const {read, interrupted} = await collect(session, request);
    const {sections, errors} = read();
    expect(interrupted).toBeUndefined();
    expect(errors).toEqual({});
    expect(sections).toMatchObject({os: {CSName: expect.any(String)}, hnsNetworks: expect.any(Array)});
    await session.close();
    await run.close();
    expect(await cluster.leftovers()).toEqual([]);
    const namespace = await cluster.client.get<V1Namespace>('/api/v1/namespaces/kubectl-win');
    expect(namespace.metadata?.labels?.['pod-security.kubernetes.io/enforce']).toBe('privileged');
  });

  it('is found by a second run, whose namespace already exists', async () => {
    await using cluster = await simulatedCluster();
    for (let count = 0; count < 2; count += 1) {
      const run = new HelperRun(cluster.client, options);
      await run.open(await cluster.windowsNode());
      await run.close();
    }
    expect(await cluster.leftovers()).toEqual([]);
  });

  it('does not mistake a conflict for an existing namespace', async () => {
    await using cluster = await simulatedCluster();
    cluster.simulation.disturb(({method, path}) =>
      method === 'POST' && path.startsWith('/api/v1/namespaces?') ? {code: 409} : undefined,
    );
    const run = new HelperRun(cluster.client, options);
    const error = await failure(run.open(await cluster.windowsNode()));
    expect([error.exit, error.message]).toEqual([ExitCode.uninspected, expect.stringContaining('Conflict')]);
    await run.close();
  });

  it('uses an image that the node has if requested, so that nothing is pulled', async () => {
    await using cluster = await simulatedCluster({faults: {imagePull: true}});
    const run = new HelperRun(cluster.client, {...options, image: 'auto'});
    const node = await cluster.windowsNode();
    const session = await run.open(node);
    const pod = await cluster.client.get<V1Pod>(`/api/v1/namespaces/kubectl-win/pods/${session.pod}`);
    const present = node.status?.images?.flatMap(({names}) => names ?? []);
    expect(present).toContain(pod.spec?.containers[0]?.image);
    await run.close();
  });
});

describe('a helper that does not start', () => {
  it('reports that the image is not available, and what to use instead', async () => {
    await using cluster = await simulatedCluster({faults: {imagePull: true}});
    const run = new HelperRun(cluster.client, {...options, image: 'registry.example/none:1'});
    const states: string[] = [];
    const error = await failure(run.open(await cluster.windowsNode(), {onState: state => states.push(state)}));
    expect(error.message).toMatch(
      /^The helper pod on \S+ did not start: phase Pending, container (ErrImagePull|ImagePullBackOff)/,
    );
    expect(error.next.join()).toContain('--helper-image=auto');
    expect(error.exit).toBe(ExitCode.uninspected);
    expect(states.join()).toContain('ErrImagePull');
    await run.close();
    expect(await cluster.leftovers()).toEqual([]);
  });

  it('points to the script if the kubelet does not react in time', async () => {
    await using cluster = await simulatedCluster({faults: {slowStart: 60_000}});
    const run = new HelperRun(cluster.client, {...options, startTimeoutMs: 100});
    const error = await failure(run.open(await cluster.windowsNode()));
    expect(error.message).toMatch(/did not start within 0s: phase Pending/);
    expect(error.next.join()).toContain('helper script');
    await run.close();
    expect(await cluster.leftovers()).toEqual([]);
  });

  it.each([
    ['runs Docker', {nodeInfo: {containerRuntimeVersion: 'docker://20.10.9', kubeletVersion: 'v1.23.1'}}, 'Docker'],
    [
      'has an old kubelet',
      {nodeInfo: {containerRuntimeVersion: 'containerd://1.6.6', kubeletVersion: 'v1.22.4'}},
      'v1.22.4',
    ],
    [
      'has an old containerd',
      {nodeInfo: {containerRuntimeVersion: 'containerd://1.5.9', kubeletVersion: 'v1.24.0'}},
      '1.5.9',
    ],
    ['has a silent kubelet', {conditions: [{type: 'Ready', status: 'Unknown'}]}, 'has not reported'],
  ])('is not attempted on a node that %s', async (_, status, words) => {
    await using cluster = await simulatedCluster();
    const node = {metadata: {name: 'win-old'}, status} as V1Node;
    const error = await failure(new HelperRun(cluster.client, options).open(node));
    expect(error.message).toContain(words);
    expect(error.message).toContain('kubectl win helper script');
    expect(error.exit).toBe(ExitCode.uninspected);
    await expect(cluster.client.get('/api/v1/namespaces/kubectl-win')).rejects.toThrow('not found');
  });
});

describe('namespaces', () => {
  it('names the label if another namespace forbids privileged pods', async () => {
    const labels = {'pod-security.kubernetes.io/enforce': 'restricted'};
    await using cluster = await simulatedCluster({namespaces: {tools: {labels}}});
    const run = new HelperRun(cluster.client, {...options, namespace: 'tools'});
    const error = await failure(run.open(await cluster.windowsNode()));
    expect(error.message).toContain('its label pod-security.kubernetes.io/enforce is "restricted"');
    expect(error.next.join()).toContain('kubectl label namespace tools pod-security.kubernetes.io/enforce=privileged');
    expect(error.exit).toBe(ExitCode.denied);
    await run.close();
    expect(await cluster.leftovers('tools')).toEqual([]);
  });

  it('names no label if the cluster default forbids privileged pods', async () => {
    await using cluster = await simulatedCluster({namespaces: {tools: {labels: {}}}, podSecurity: 'baseline'});
    const run = new HelperRun(cluster.client, {...options, namespace: 'tools'});
    const error = await failure(run.open(await cluster.windowsNode()));
    expect(error.message).toBe(
      'The namespace "tools" does not allow the helper pod: the Pod Security level there is "baseline", but HostProcess requires "privileged".',
    );
    expect(error.next.join()).toContain('kubectl label namespace tools pod-security.kubernetes.io/enforce=privileged');
    expect(error.exit).toBe(ExitCode.denied);
    await run.close();
  });

  it('requires another namespace to exist', async () => {
    await using cluster = await simulatedCluster();
    const run = new HelperRun(cluster.client, {...options, namespace: 'tools'});
    const error = await failure(run.open(await cluster.windowsNode()));
    expect(error.message).toContain('"tools" for helper pods does not exist');
    expect(error.exit).toBe(ExitCode.usage);
  });

  it('says what an administrator must do if the namespace may not be created', async () => {
    await using cluster = await simulatedCluster({access: 'viewer'});
    const run = new HelperRun(cluster.client, options);
    const error = await failure(run.open(await cluster.windowsNode()));
    expect(error.message).toContain('you are not allowed to create it');
    expect(error.next.join()).toContain('manifests/namespace.yaml');
    expect(error.exit).toBe(ExitCode.denied);
    await run.close();
  });
});

describe('the end of a run', () => {
  it('leaves nothing behind if the user gives up while pods are starting', async () => {
    await using cluster = await simulatedCluster({faults: {slowStart: 60_000}});
    const controller = new AbortController();
    const run = new HelperRun(cluster.client, options);
    const opening = run.open(await cluster.windowsNode(), {
      signal: controller.signal,
      onState: () => controller.abort(new Error('Ctrl-C')),
    });
    await expect(opening).rejects.toThrow('Ctrl-C');
    await run.close();
    expect(await cluster.leftovers()).toEqual([]);
  });

  it('leaves nothing behind if it comes while pods are being created', async () => {
    await using cluster = await simulatedCluster();
    const run = new HelperRun(cluster.client, options);
    const node = await cluster.windowsNode();
    const opening = Promise.allSettled([run.open(node), run.open(node)]);
    await new Promise(resolve => setImmediate(resolve));
    await run.close();
    await opening;
    expect(await cluster.leftovers()).toEqual([]);
  });

  it('may come twice, and nothing can be opened after it', async () => {
    await using cluster = await simulatedCluster();
    const run = new HelperRun(cluster.client, options);
    const node = await cluster.windowsNode();
    await run.open(node);
    await Promise.all([run.close(), run.close()]);
    await expect(run.open(node)).rejects.toThrow('being removed');
    expect(await cluster.leftovers()).toEqual([]);
  });

  it.each([
    ['an administrator', 'admin' as const],
    [
      'another user, who is denied everything at first',
      {user: 'jane', rules: [{verbs: ['*'], apiGroups: ['*'], resources: ['*']}], others: {}},
    ],
  ])('waits for an API server that restarts: %s', async (_, access) => {
    await using cluster = await simulatedCluster({access});
    const run = new HelperRun(cluster.client, options);
    await run.open(await cluster.windowsNode());
    const restarted = cluster.simulation.restart(700, 1500);
    await run.close();
    await restarted;
    expect(await cluster.leftovers()).toEqual([]);
  });

  it('prints the command that removes what it could not', async () => {
    const rules = [
      {verbs: ['get', 'list', 'watch', 'create'], apiGroups: ['*'], resources: ['*']},
      {verbs: ['get'], nonResourceURLs: ['*'], apiGroups: ['']},
    ];
    await using cluster = await simulatedCluster({access: {user: 'maker', rules, others: {}}});
    const run = new HelperRun(cluster.client, options);
    await run.open(await cluster.windowsNode());
    const error = await failure(run.close());
    expect(error.message).toContain('could not be removed');
    expect(error.next.join()).toContain(
      `delete pods,configmaps -n kubectl-win -l kubectl-win/run=${run.id} --grace-period=0 --force`,
    );
  });
});
