import {describe, expect, it} from 'vitest';
import {connect} from '../../src/kube/client.js';
import {readClusterObjects} from '../../src/session/objects.js';
import {json, localServer, statusBody} from '../kube/local-server.js';
import {simulatedCluster} from '../kube/simulated.js';

const kindsOf = (objects: readonly {kind: string}[]) => [...new Set(objects.map(({kind}) => kind))].sort();

describe('the cluster part of a snapshot', () => {
  it('has nodes, the plugin with its objects, the pods of Windows nodes, Services and endpoints', async () => {
    await using cluster = await simulatedCluster();
    const {version, objects, lists} = await readClusterObjects(cluster.client);
    expect(version).toBe('v1.31.4');
    expect(lists.filter(({error}) => error)).toEqual([]);
    expect(lists).toContainEqual({kind: 'Pod', node: expect.stringMatching(/^win/)});
    expect(kindsOf(objects)).toEqual(
      expect.arrayContaining([
        'AntreaAgentInfo',
        'ConfigMap',
        'DaemonSet',
        'Deployment',
        'EndpointSlice',
        'Namespace',
        'Node',
        'Pod',
        'Service',
      ]),
    );
    const names = objects
      .filter(({kind}) => kind === 'Pod')
      .map(({metadata}) => `${metadata.namespace}/${metadata.name}`);
    expect(names.some(name => name.startsWith('shop/'))).toBe(true);
    expect(names.some(name => name.startsWith('kube-system/antrea-agent-windows'))).toBe(true);
    expect(new Set(names).size).toBe(names.length);
  });

  it('never has Secrets or managed fields', async () => {
    await using cluster = await simulatedCluster();
    const {objects} = await readClusterObjects(cluster.client);
    expect(kindsOf(objects)).not.toContain('Secret');
    expect(JSON.stringify(objects)).not.toContain('managedFields');
    expect(objects.length).toBeGreaterThan(10);
    expect(objects.every(({apiVersion, kind}) => apiVersion && kind)).toBe(true);
  });

  it('is the same each time', async () => {
    await using cluster = await simulatedCluster();
    const first = await readClusterObjects(cluster.client);
    expect(await readClusterObjects(cluster.client)).toEqual(first);
  });

  it('omits what may not be read, and lists it', async () => {
    const rules = [{verbs: ['list', 'get'], apiGroups: [''], resources: ['nodes', 'pods']}];
    await using cluster = await simulatedCluster({access: {user: 'someone', rules, others: {}}});
    const {objects, lists, version} = await readClusterObjects(cluster.client);
    expect(version).toBe('v1.31.4');
    expect(kindsOf(objects)).toEqual(['Node', 'Pod']);
    const failed = lists.filter(({error}) => error !== undefined);
    expect(failed.map(({kind}) => kind)).toEqual(expect.arrayContaining(['Namespace', 'DaemonSet', 'Service']));
    expect(failed.find(({kind}) => kind === 'DaemonSet')?.error).toContain('cannot list');
  });

  it('reads only Services of the network if there are too many', async () => {
    await using server = await localServer({
      onRequest(request, response) {
        const {pathname} = new URL(request.url ?? '', 'http://a');
        if (pathname === '/version') return json(response, 200, {gitVersion: 'v1.30.0'});
        if (pathname === '/apis') return json(response, 404, statusBody(404, 'NotFound', 'no'));
        const crowded = pathname === '/api/v1/services';
        const name = pathname.replaceAll('/', '-').slice(1);
        const items = Array.from({length: crowded ? 500 : 1}, (_, index) => ({metadata: {name: `${name}-${index}`}}));
        json(response, 200, {
          apiVersion: 'v1',
          kind: pathname.endsWith('services') ? 'ServiceList' : 'ThingList',
          metadata: crowded ? {continue: 'x', remainingItemCount: 90_000} : {},
          items,
        });
      },
    });
    const client = connect({server: server.url}, {HOME: '/nowhere'});
    const {objects} = await readClusterObjects(client, {nodes: []});
    const services = objects.filter(({kind}) => kind === 'Service').map(({metadata}) => metadata.name);
    expect(services).toContain('api-v1-namespaces-default-services-0');
    expect(services.length).toBeLessThan(20);
  });
});
