import {describe, expect, it} from 'vitest';
import {healthy, type Scenario} from '../support.js';

// biome-ignore lint/suspicious/noExplicitAny: raw files
type Raw = any;
const id = 'cni/host-local-leases';
const onFirst = (changed: Scenario) => changed.verdicts(id).find(({node}) => node === 'fl-win-a');
const withLease = (lease: object) =>
  healthy('06-flannel-overlay-healthy').section('files', files => {
    files.push({
      Path: 'C:\\var\\lib\\cni\\networks\\flannel.4096\\10.244.1.77',
      Exists: true,
      LastWriteTime: '2026-02-20T00:00:00+01:00',
      Content: '0123456789abcdef0123456789abcdef\r\neth0',
      ...lease,
    });
  });

describe('cni/host-local-leases', () => {
  it('finds an address that is reserved for a container that no longer exists', () => {
    expect(onFirst(withLease({}))?.message).toMatch(/10\.244\.1\.77/);
  });

  it.each([
    ['the lease of the source VIP', {Content: 'dummy\r\ndummy'}],
    ['a lease of a pod that is being created', {LastWriteTime: '2026-03-04T10:00:00+01:00'}],
    [
      'a file that is not a lease',
      {Path: 'C:\\var\\lib\\cni\\networks\\flannel.4096\\last_reserved_ip.0', Content: '10.244.1.77'},
    ],
    ['a lease of an existing pod', {Path: 'C:\\var\\lib\\cni\\networks\\flannel.4096\\10.244.1.6'}],
  ])('ignores %s', (_what, lease) => {
    expect(onFirst(withLease(lease))?.outcome).toBe('pass');
  });

  it('recognises the pods of Antrea by address, because its endpoints have other names', () => {
    expect(healthy('01-antrea-healthy').outcomes(id)).toEqual(['pass']);
  });

  it('finds all leases from before a reboot', () => {
    const rebooted = healthy('06-flannel-overlay-healthy')
      .removeObjects(({kind, spec}) => kind === 'Pod' && spec.nodeName === 'fl-win-a')
      .node(node => {
        node.sections.hnsEndpoints = node.sections.hnsEndpoints.filter(
          ({SharedContainers}: Raw) => SharedContainers?.length === 0,
        );
      });
    expect(onFirst(rebooted)?.message).toMatch(/^2 addresses are reserved/);
  });

  it('names the file, and the container that it was for', () => {
    expect(onFirst(withLease({}))).toMatchObject({
      outcome: 'fail',
      message: '1 address is reserved for containers that no longer exist: 10.244.1.77.',
      evidence: [
        {
          object: 'C:\\var\\lib\\cni\\networks\\flannel.4096\\10.244.1.77',
          seen: '0123456789abcdef0123456789abcdef',
        },
      ],
    });
  });

  it.each([
    ['that is not there', {Exists: false}],
    ['that is empty', {Content: ''}],
    ['that was not read', {Content: undefined}],
    ['in another folder', {Path: 'C:\\k\\networks\\flannel.4096\\10.244.1.77'}],
    ['deeper down', {Path: 'C:\\var\\lib\\cni\\networks\\flannel.4096\\old\\10.244.1.77'}],
    ['of a script that keeps the source VIP', {Content: 'Dummy-vip'}],
    ['less than ten minutes old', {LastWriteTime: '2026-03-04T09:52:34+01:00'}],
  ])('leaves alone a file %s', (_, lease) => {
    expect(onFirst(withLease(lease))?.outcome).toBe('pass');
  });

  it('finds one that is ten minutes old, or of an unknown age', () => {
    expect(onFirst(withLease({LastWriteTime: '2026-03-04T09:52:33+01:00'}))?.outcome).toBe('fail');
    expect(onFirst(withLease({LastWriteTime: undefined}))?.outcome).toBe('fail');
    expect(onFirst(withLease({Content: 'not-a-dummy'}))?.outcome).toBe('fail');
  });

  const endpoint = (change: object) =>
    onFirst(
      withLease({}).section('hnsEndpoints', endpoints => {
        endpoints.push({...endpoints[0], ID: '7', Name: 'x', IPAddress: '10.244.1.9', SharedContainers: [], ...change});
      }),
    )?.outcome;

  it.each([
    ['address', {IPAddress: '10.244.1.77'}],
    ['container', {SharedContainers: ['0123456789abcdef0123456789abcdef']}],
    ['name', {Name: '0123456789abcdef0123456789abcdef_flannel.4096'}],
  ])('knows the endpoint of a lease by its %s', (_, change) => {
    expect(endpoint(change)).toBe('pass');
    expect(endpoint({...change, IsRemoteEndpoint: true})).toBe('fail');
  });

  it('does not mistake any endpoint for it', () => {
    expect(endpoint({})).toBe('fail');
    expect(endpoint({Name: 'x_0123456789abcdef0123456789abcdef'})).toBe('fail');
  });

  it('does not concern nodes with another IPAM', () => {
    const other = withLease({}).section('files', files => {
      const file = files.find(({Path}: Raw) => /10-flannel\.conf$/.test(Path));
      const conf = JSON.parse(file.Content);
      conf.delegate.ipam = {type: 'own-ipam'};
      file.Content = JSON.stringify(conf);
    });
    expect(onFirst(other)?.outcome).toBe('skipped');
    expect(healthy('09-calico-vxlan-healthy').outcomes(id)).toEqual(['skipped', 'skipped']);
  });

  it('leaves alone the address of a pod that the cluster has here, though HNS has no endpoint for it', () => {
    const lost = () =>
      healthy('06-flannel-overlay-healthy').section('hnsEndpoints', endpoints => {
        endpoints.splice(
          endpoints.findIndex(({IPAddress}: Raw) => IPAddress === '10.244.1.6'),
          1,
        );
      });
    expect(onFirst(lost())?.outcome).toBe('pass');
    const moved = lost().object('Pod', /^worker/, pod => {
      pod.spec.nodeName = 'fl-win-b';
    });
    expect(onFirst(moved)?.message).toMatch(/10\.244\.1\.6\.$/);
  });
});
