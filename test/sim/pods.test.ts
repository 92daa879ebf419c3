import {afterAll, beforeAll, describe, expect, it, vi} from 'vitest';
import {type Cluster, cluster, namespace, pod, type Reply} from './support.js';

let lab: Cluster;
const pods = '/api/v1/namespaces/lab/pods';
const waiting = (body: Reply['body']) => body.status.containerStatuses?.[0]?.state.waiting?.reason;
const node = () => {
  const found = lab.simulation.nodes.get('win-1');
  if (!found) throw new Error('no win-1');
  return found;
};
const eventsOf = async (name: string) => {
  const {body} = await lab.get(`/api/v1/namespaces/lab/events?fieldSelector=involvedObject.name%3D${name}`);
  return body.items as {reason: string; message: string; type: string}[];
};

beforeAll(async () => {
  lab = await cluster('antrea-healthy');
  await lab.helperPod();
});
afterAll(() => lab[Symbol.asyncDispose]());

describe('a pod on a simulated node', () => {
  it('is created, runs, and reports it in conditions and events', async () => {
    const good = await lab.createPod(pod('good', 'win-1'));
    const seen: string[] = [];
    const running = await lab.podWhere(good, body => {
      seen.push(waiting(body) ?? body.status.phase);
      return body.status.phase === 'Running';
    });
    expect(seen.at(-2)).toBe('ContainerCreating');
    expect(running.status).toMatchObject({
      podIP: '10.21.40.61',
      hostIP: '10.21.40.61',
      containerStatuses: [{name: 'helper', ready: true, state: {running: {startedAt: expect.any(String)}}}],
    });
    expect(running.status.conditions).toContainEqual(expect.objectContaining({type: 'Ready', status: 'True'}));
    expect((await eventsOf('good')).map(({reason}) => reason).sort()).toEqual([
      'Created',
      'Pulled',
      'Pulling',
      'Started',
    ]);
  });

  it('gets its grace period when it is deleted, and is then removed', async () => {
    const name = await lab.helperPod();
    const {body} = await lab.delete(`${pods}/${name}`);
    expect(body.metadata).toMatchObject({deletionTimestamp: expect.any(String), deletionGracePeriodSeconds: 30});
    await vi.waitFor(async () => expect((await lab.get(`${pods}/${name}`)).status).toBe(404));
  });

  it('is removed immediately without a grace period', async () => {
    const name = await lab.helperPod();
    await lab.delete(`${pods}/${name}?gracePeriodSeconds=0`);
    expect((await lab.get(`${pods}/${name}`)).status).toBe(404);
  });

  it('is killed after its deadline', async () => {
    const short = await lab.createPod(pod('short', 'win-1', {activeDeadlineSeconds: 1}));
    const failed = await lab.podWhere(short, ({status}) => status.phase === 'Failed');
    expect(failed.status).toMatchObject({reason: 'DeadlineExceeded', containerStatuses: [{ready: false}]});
  });

  it('cannot pull a missing image if pulling fails; an existing one starts', async () => {
    node().fault({imagePull: true});
    const unpulled = await lab.createPod(pod('unpulled', 'win-1'));
    await lab.podWhere(unpulled, body => waiting(body) === 'ErrImagePull');
    await lab.podWhere(unpulled, body => waiting(body) === 'ImagePullBackOff');
    expect(await eventsOf('unpulled')).toContainEqual(
      expect.objectContaining({type: 'Warning', reason: 'Failed', message: expect.stringContaining('no such host')}),
    );
    const image = (await lab.get('/api/v1/nodes/win-1')).body.status.images[0].names[0];
    const present = await lab.createPod(pod('present', 'win-1', {containers: [{name: 'c', image}], volumes: []}));
    await lab.podWhere(present, ({status}) => status.phase === 'Running');
    node().fault({imagePull: false});
  });

  it('cannot be a HostProcess pod on Docker', async () => {
    node().fault({docker: true});
    const docked = await lab.createPod(pod('docked', 'win-1'));
    await lab.podWhere(docked, body => waiting(body) === 'CreateContainerError');
    expect(await eventsOf('docked')).toContainEqual(
      expect.objectContaining({message: expect.stringContaining('HostProcess')}),
    );
    node().fault({docker: false});
  });

  it('waits for a missing ConfigMap, and starts when it exists', async () => {
    const volumes = [{name: 'scripts', configMap: {name: 'missing'}}];
    const unmounted = await lab.createPod(pod('unmounted', 'win-1', {volumes}));
    await vi.waitFor(async () =>
      expect(await eventsOf('unmounted')).toContainEqual(
        expect.objectContaining({
          reason: 'FailedMount',
          message: expect.stringContaining('configmap "missing" not found'),
        }),
      ),
    );
    await lab.post('/api/v1/namespaces/lab/configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {name: 'missing', namespace: 'lab'},
    });
    await lab.podWhere(unmounted, body => body.status.phase === 'Running');
  });

  it('stays Pending without events if the kubelet is down, and cannot be removed', async () => {
    node().fault({kubeletDown: true});
    await lab.createPod(pod('ignored', 'win-1'));
    await lab.helperPod('win-2');
    const {body} = await lab.get(`${pods}/ignored`);
    expect(body.status).toEqual({phase: 'Pending', qosClass: 'BestEffort'});
    expect(await eventsOf('ignored')).toEqual([]);
    await lab.delete(`${pods}/ignored`);
    expect((await lab.get(`${pods}/ignored`)).body.metadata.deletionTimestamp).toBeDefined();
    const ready = async () => {
      const {conditions} = (await lab.get('/api/v1/nodes/win-1')).body.status;
      return conditions.find(({type}: {type: string}) => type === 'Ready').status;
    };
    expect(await ready()).toBe('Unknown');
    node().fault({kubeletDown: false});
    expect(await ready()).toBe('True');
    await vi.waitFor(async () => expect((await lab.get(`${pods}/ignored`)).status).toBe(404));
  });
});

describe('a DaemonSet with running controllers', () => {
  const template = (image: string) => ({
    metadata: {labels: {app: 'set'}},
    spec: {containers: [{name: 'c', image}], nodeSelector: {'kubernetes.io/os': 'windows'}},
  });
  const set = (image: string, extra: object = {}) => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: {name: 'set', ...extra},
    spec: {selector: {matchLabels: {app: 'set'}}, template: template(image)},
  });
  const path = '/apis/apps/v1/namespaces/lab/daemonsets';
  type Pod = {metadata: {name: string}; spec: {nodeName: string; containers: {image: string}[]}};

  it('has a pod on every matching node, replaces lost ones, rolls out a new image, and deletes its pods with it', async () => {
    await using live = await cluster('antrea-healthy', {controllers: true});
    const podsNow = async (): Promise<Pod[]> => (await live.get(`${pods}?labelSelector=app%3Dset`)).body.items;
    const settled = (image: string) =>
      vi.waitFor(async () => {
        const {status} = (await live.get(`${path}/set`)).body;
        expect(status).toMatchObject({numberReady: 2, desiredNumberScheduled: 2, updatedNumberScheduled: 2});
        expect((await podsNow()).map(({spec}) => spec.containers[0]?.image)).toEqual([image, image]);
      });
    await live.post('/api/v1/namespaces', namespace('lab'));
    await live.post(path, set('a:1'));
    await settled('a:1');
    const [first] = await podsNow();
    expect((await podsNow()).map(({spec}) => spec.nodeName).sort()).toEqual(['win-1', 'win-2']);
    await live.delete(`${pods}/${first?.metadata.name}?gracePeriodSeconds=0`);
    await settled('a:1');
    await live.patch(`${path}/set`, {spec: {template: template('a:2')}});
    await settled('a:2');
    await live.delete(`${path}/set`);
    await vi.waitFor(async () => expect(await podsNow()).toEqual([]));
  });

  it('of an agent has no ready pod on a node without its network', async () => {
    await using live = await cluster('antrea-reboot', {controllers: true});
    const selector = 'labelSelector=component%3Dantrea-agent';
    for (const [node, ready] of Object.entries({'win-1': false, 'win-2': true})) {
      const path = `/api/v1/namespaces/kube-system/pods?${selector}&fieldSelector=spec.nodeName%3D${node}`;
      const [old] = (await live.get(path)).body.items;
      await live.delete(`/api/v1/namespaces/kube-system/pods/${old.metadata.name}`);
      await vi.waitFor(async () => {
        const [pod] = (await live.get(path)).body.items;
        expect(pod.metadata.uid).not.toBe(old.metadata.uid);
        expect(pod.status).toMatchObject({phase: 'Running', containerStatuses: [{ready}]});
      });
    }
  });

  it('reports why its pods are rejected', async () => {
    await using live = await cluster('antrea-healthy', {controllers: true});
    await live.post('/api/v1/namespaces', namespace('lab', {'pod-security.kubernetes.io/enforce': 'baseline'}));
    const body = set('a:1');
    Object.assign(body.spec.template.spec, {hostNetwork: true});
    await live.post(path, body);
    await vi.waitFor(async () => {
      const {items} = (await live.get('/api/v1/namespaces/lab/events')).body;
      expect(items[0]).toMatchObject({
        reason: 'FailedCreate',
        message: expect.stringContaining('violates PodSecurity'),
      });
    });
  });

  it('gets no pods beyond a quota, and the defaults of a LimitRange', async () => {
    await using live = await cluster('antrea-healthy', {controllers: true});
    await live.post('/api/v1/namespaces', namespace('lab'));
    const named = (kind: string, spec: object) => ({apiVersion: 'v1', kind, metadata: {name: 'one'}, spec});
    await live.post('/api/v1/namespaces/lab/resourcequotas', named('ResourceQuota', {hard: {pods: '1'}}));
    const limits = [{type: 'Container', default: {cpu: '200m'}}];
    await live.post('/api/v1/namespaces/lab/limitranges', named('LimitRange', {limits}));
    await live.post(path, set('a:1'));
    await vi.waitFor(async () => {
      const {items} = (await live.get('/api/v1/namespaces/lab/events')).body;
      expect(items.find(({reason}: {reason: string}) => reason === 'FailedCreate')?.message).toBe(
        'Error creating: pods "set-" is forbidden: exceeded quota: one, requested: pods=1, used: pods=1, limited: pods=1',
      );
    });
    const made = (await live.get(pods)).body.items;
    expect(made).toHaveLength(1);
    expect(made[0].spec.containers[0].resources).toMatchObject({limits: {cpu: '200m'}, requests: {cpu: '200m'}});
  });
});
