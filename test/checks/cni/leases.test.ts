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
  it('finds an address that is reserved for a container that is gone', () => {
    expect(onFirst(withLease({}))?.message).toMatch(/10\.244\.1\.77/);
  });

  it.each([
    ['the one that keeps the source VIP', {Content: 'dummy\r\ndummy'}],
    ['one of a pod that is being made', {LastWriteTime: '2026-03-04T10:00:00+01:00'}],
    [
      'what is no lease',
      {Path: 'C:\\var\\lib\\cni\\networks\\flannel.4096\\last_reserved_ip.0', Content: '10.244.1.77'},
    ],
    ['one of a pod that the cluster still has', {Path: 'C:\\var\\lib\\cni\\networks\\flannel.4096\\10.244.1.6'}],
  ])('leaves alone %s', (_what, lease) => {
    expect(onFirst(withLease(lease))?.outcome).toBe('pass');
  });

  it('knows the pods of Antrea by their addresses, because its endpoints have other names', () => {
    expect(healthy('01-antrea-healthy').outcomes(id)).toEqual(['pass']);
  });

  it('finds all leases of before a reboot', () => {
    const rebooted = healthy('06-flannel-overlay-healthy')
      .removeObjects(({kind, spec}) => kind === 'Pod' && spec.nodeName === 'fl-win-a')
      .node(node => {
        node.sections.hnsEndpoints = node.sections.hnsEndpoints.filter(
          ({SharedContainers}: Raw) => SharedContainers?.length === 0,
        );
      });
    expect(onFirst(rebooted)?.message).toMatch(/^2 addresses are reserved/);
  });
});
