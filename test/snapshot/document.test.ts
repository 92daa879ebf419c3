import {describe, expect, it} from 'vitest';
import {ClusterModel, podCidr, podIps} from '../../src/snapshot/cluster.js';
import {snapshotDocument} from '../../src/snapshot/document.js';
import {readSnapshot} from '../../src/snapshot/snapshot.js';

function read(rest: object) {
  return readSnapshot(snapshotDocument.parse({apiVersion: 'kubectl-win/v1', kind: 'Snapshot', ...rest}));
}

describe('a snapshot file', () => {
  it('may lack every part', () => {
    expect(read({})).toEqual({cluster: undefined, nodes: new Map(), takenAt: undefined});
  });

  it('does not lose a node because of an invalid neighbour', () => {
    const {nodes} = read({
      nodes: {
        broken: {sections: 'no', errors: 7},
        none: null,
        good: {sections: {os: {BuildNumber: 20348}}},
      },
    });
    expect(nodes.get('good')?.os?.build).toBe(20348);
    expect(nodes.get('broken')).toEqual({name: 'broken', errors: {}});
    expect(nodes.get('none')).toEqual({name: 'none', errors: {}});
  });

  it('has no cluster if its objects are not a list: it is not mistaken for an empty cluster', () => {
    expect(read({cluster: {objects: 'cut off'}}).cluster).toBeUndefined();
  });

  it('has no time if that is invalid', () => {
    expect(read({collectedAt: 'soon'}).takenAt).toBeUndefined();
    expect(read({collectedAt: '2026-03-02T09:12:44Z'}).takenAt).toBe(Date.UTC(2026, 2, 2, 9, 12, 44));
  });
});

describe('the cluster of a snapshot', () => {
  const pod = (status: object) => ({kind: 'Pod', metadata: {name: 'web'}, spec: {nodeName: 'win-1'}, status});

  it('counts objects that it cannot read, and continues', () => {
    const cluster = new ClusterModel([{kind: 'Pod', metadata: 'no'}, 7, null, pod({})]);
    expect(cluster.unreadable).toEqual(['Pod', 'object without a kind', 'object without a kind']);
    expect(cluster.known('Pod')).toHaveLength(1);
    expect(() => cluster.podsOn('win-1')).toThrow('a Pod could not be read');
  });

  it('gives no unread list, and no absence from an incomplete one', () => {
    const cluster = new ClusterModel([pod({})], 'v1.36.0', [
      {kind: 'Pod', node: 'win-1'},
      {kind: 'Pod', node: 'win-2', error: 'too many requests'},
      {kind: 'Service', error: 'forbidden'},
      {kind: 'Service', namespace: 'default'},
      {kind: 'subnets', group: 'kubeovn.io', error: 'forbidden'},
    ]);
    expect(cluster.podsOn('win-1')).toHaveLength(1);
    expect(() => cluster.podsOn('win-2')).toThrow('pods on win-2 could not be read: too many requests');
    expect(() => cluster.podsOn('win-3')).toThrow('pods on win-3 could not be read: they were not requested');
    expect(() => cluster.all('Pod')).toThrow('pods on win-2 could not be read');
    expect(cluster.find('Service', 'kubernetes', 'default')).toBeUndefined();
    expect(() => cluster.find('Service', 'kube-dns', 'kube-system')).toThrow('services could not be read: forbidden');
    expect(() => cluster.all('Service')).toThrow('services could not be read: forbidden');
    expect(cluster.some('Service')).toEqual([]);
    expect(() => cluster.some('Deployment')).toThrow('deployments could not be read: they were not requested');
    expect(() => cluster.custom('kubeovn.io', 'Vpc')).toThrow('subnets.kubeovn.io could not be read');
    expect(cluster.custom('crd.antrea.io', 'AntreaAgentInfo')).toEqual([]);
  });

  it('does not know what was read of the cluster for older snapshots', () => {
    expect(new ClusterModel([pod({})]).lists.known).toBe(false);
    expect(() => new ClusterModel([]).podsOn('win-1')).toThrow('pods could not be read');
  });

  it('knows all addresses of a pod, each once', () => {
    const [read] = new ClusterModel([pod({podIP: '10.1.2.3', podIPs: [{ip: '10.1.2.3'}, {ip: 'fd00::3'}]})]).all('Pod');
    expect(read && podIps(read)).toEqual(['10.1.2.3', 'fd00::3']);
  });

  it('uses the IPv4 pod CIDR of a dual-stack node', () => {
    const [node] = new ClusterModel([
      {kind: 'Node', metadata: {name: 'win-1'}, spec: {podCIDR: 'fd00::/64', podCIDRs: ['fd00::/64', '10.1.2.0/24']}},
    ]).all('Node');
    expect(podCidr(node)).toBe('10.1.2.0/24');
  });

  it('distinguishes custom resources by their group', () => {
    const cluster = new ClusterModel([
      {apiVersion: 'operator.openshift.io/v1', kind: 'Network', metadata: {name: 'cluster'}},
      {apiVersion: 'config.openshift.io/v1', kind: 'Network', metadata: {name: 'cluster'}},
    ]);
    expect(cluster.custom('operator.openshift.io', 'Network')).toHaveLength(1);
  });
});
