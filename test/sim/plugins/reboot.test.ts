import {describe, expect, it} from 'vitest';
import {podType} from '../../../src/sim/api/resource-types.js';
import {isReady} from '../../../src/sim/cluster/pod-status.js';
import {textAt} from '../../../src/sim/json.js';
import {rows} from '../../../src/sim/node/state.js';
import {Lab, names} from './support.js';

/** What doctor must report as root, and what must be among the rest. */
const scenarios: [string, string, string[]][] = [
  ['antrea-reboot', 'ovs/stale-bridge', ['ovs/services', 'hns/network-present']],
  ['kube-ovn-reboot', 'ovs/stale-bridge', ['ovs/services', 'hns/network-present', 'cni/agent-pod']],
  ['flannel-reboot', 'hns/network-present', ['cluster/rebooted', 'kube-proxy/dangling-load-balancer']],
  ['flannel-hostgw-reboot', 'hns/host-endpoint', ['net/peer-routes', 'log/known-error']],
  ['calico-reboot', 'cni/calico-boot-time', ['hns/host-endpoint', 'cni/agent-pod']],
  ['azure-reboot', 'cni/azure-state', ['hns/network-present', 'cni/azure-reset-task', 'log/known-error']],
  ['hybrid-overlay-reboot', 'hns/network-present', ['hns/host-endpoint', 'cluster/rebooted']],
  ['older-ovn-reboot', 'ovs/ovn-southbound', ['cni/agent-pod', 'ovs/port-error']],
  ['win-bridge-reboot', 'net/peer-routes', ['cni/host-local-leases', 'kube-proxy/dangling-load-balancer']],
];

describe('after a reboot', () => {
  it.each(scenarios)('%s shows its cause, and nothing on the other node', (scenario, cause, others) => {
    const lab = new Lab(scenario);
    const [node = ''] = lab.rebooted;
    const failed = lab.doctor().filter(({outcome}) => outcome === 'fail');
    const here = failed.filter(finding => finding.node === node);
    const roots = here.filter(({causedBy}) => !causedBy?.length).map(({id}) => id);
    expect(roots).toContain(cause);
    expect(here.map(({id}) => id)).toEqual(expect.arrayContaining(others));
    expect(here.some(({severity}) => severity === 'error')).toBe(true);
    expect(failed.filter(finding => finding.node !== node).map(({id}) => id)).toEqual([]);
  });

  it.each(['flannel-hostgw-reboot', 'win-bridge-reboot'])(
    'pods of %s run again, because their network survives the boot',
    scenario => {
      const lab = new Lab(scenario);
      const [node = ''] = lab.rebooted;
      const attached = rows(lab.state(node), 'hnsEndpoints').filter(({State}) => State === 3);
      const pods = [...lab.world.store.all(podType)].filter(
        pod => textAt(pod, 'spec', 'nodeName') === node && textAt(pod, 'metadata', 'namespace') !== 'kube-system',
      );
      const ownNetwork = pods.filter(pod => textAt(pod, 'status', 'podIP') !== lab.plan(node).address);
      expect(ownNetwork.length).toBeGreaterThan(0);
      expect(ownNetwork.every(isReady)).toBe(true);
      expect(ownNetwork.map(pod => textAt(pod, 'status', 'podIP')).sort()).toEqual(
        attached.map(({IPAddress}) => IPAddress).sort(),
      );
      const before = lab.plan(node).pods.map(({sandbox}) => sandbox);
      for (const {Name} of attached) expect(before.some(sandbox => String(Name).startsWith(sandbox))).toBe(false);
    },
  );

  it.each([
    'flannel-reboot',
    'calico-reboot',
    'azure-reboot',
    'kube-ovn-reboot',
    'hybrid-overlay-reboot',
    'older-ovn-reboot',
  ])('pods of %s wait for a network, and the kubelet reports why', scenario => {
    const lab = new Lab(scenario);
    const [node = ''] = lab.rebooted;
    expect(rows(lab.state(node), 'hnsEndpoints').filter(({State}) => State === 3)).toEqual([]);
    const failures = lab.startPods(node);
    expect(failures).toHaveLength(lab.plan(node).pods.length);
    expect(new Set(failures).size).toBe(1);
  });

  it('flanneld of the overlay hangs in its call to HNS, and kube-proxy waits for the network', () => {
    const lab = new Lab('flannel-reboot');
    const [node = ''] = lab.rebooted;
    const state = lab.state(node);
    expect(names(state, 'hnsNetworks')).toEqual(['External', 'nat']);
    expect(names(state, 'processes')).toContain('flanneld.exe');
    expect(names(state, 'processes')).not.toContain('kube-proxy.exe');
    const log = rows(state, 'logs').find(({Path}) => String(Path).includes('kube-flannel'));
    expect(String(log?.Tail).split('\n').at(-1)).toContain('Attempting to create HostComputeNetwork');
  });

  it('the endpoint of a host-gw node is left in State 4 without its adapter, and peer routes are missing', () => {
    const lab = new Lab('flannel-hostgw-reboot');
    const [node = ''] = lab.rebooted;
    const state = lab.state(node);
    expect(rows(state, 'hnsEndpoints').find(({Name}) => Name === 'cbr0_ep')?.State).toBe(4);
    expect(names(state, 'netAdapters')).not.toContain('vEthernet (cbr0_ep)');
    const peers = lab.world.cluster.nodes.filter(({name}) => name !== node).map(({podCIDR}) => podCIDR);
    const destinations = rows(state, 'netRoutes').map(({DestinationPrefix}) => DestinationPrefix);
    expect(peers.filter(peer => destinations.includes(peer))).toEqual([]);
  });

  it('Azure CNI has its state file and a lock from before the boot, and no network', () => {
    const lab = new Lab('azure-reboot');
    const [node = ''] = lab.rebooted;
    const state = lab.state(node);
    const boot = Date.parse(textAt(state.sections.os, 'LastBootUpTime'));
    expect(names(state, 'hnsNetworks')).toEqual(['ext']);
    for (const name of ['azure-vnet.json', 'azure-vnet.json.lock']) {
      const file = rows(state, 'files').find(({Path}) => String(Path).endsWith(`\\${name}`));
      expect(file?.Exists).toBe(true);
      expect(Date.parse(String(file?.LastWriteTime))).toBeLessThan(boot);
    }
  });
});
