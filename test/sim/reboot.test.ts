import {describe, expect, it} from 'vitest';
import {listAt, textAt} from '../../src/sim/json.js';
import {changeRows, tablesOf} from '../../src/sim/node/ovs.js';
import {type NodeState, rows} from '../../src/sim/node/state.js';
import {type Cluster, cluster} from './support.js';

const stateOf = (lab: Cluster, name: string): NodeState => {
  const found = lab.simulation.nodes.get(name);
  if (!found) throw new Error(`no node ${name}`);
  return found.state;
};
const names = (state: NodeState, section: string) => rows(state, section).map(row => row.Name);

describe('a reboot', () => {
  it('of an Antrea node removes the network and leaves the OVS rows', async () => {
    await using lab = await cluster('antrea-reboot');
    const state = stateOf(lab, 'win-1');
    expect(names(state, 'hnsNetworks')).toEqual(['nat']);
    expect(rows(state, 'hnsEndpoints')).toEqual([]);
    expect(names(state, 'vmSwitches')).toEqual(['nat']);
    expect(names(state, 'netAdapters')).toEqual(['Ethernet0', 'vEthernet (nat)']);
    expect(rows(state, 'netIPAddresses').find(row => row.IPAddress === '10.21.40.61')).toMatchObject({
      InterfaceAlias: 'Ethernet0',
      InterfaceIndex: 4,
      PrefixOrigin: 'Dhcp',
    });
    expect(rows(state, 'netRoutes').find(route => route.DestinationPrefix === '0.0.0.0/0')).toMatchObject({
      InterfaceAlias: 'Ethernet0',
    });
    expect(rows(state, 'adapterBindings')).toEqual([
      {Name: 'Ethernet0', ComponentID: 'vms_pp', Enabled: false},
      {Name: 'Ethernet0', ComponentID: 'ms_tcpip', Enabled: true},
    ]);
    const errors: Record<string, unknown> = {};
    changeRows(tablesOf(state.sections.ovs).Interface, row => {
      errors[String(row.name)] = [row.ofport, row.error];
      return {};
    });
    const none = ['set', []];
    expect(errors).toMatchObject({
      'br-int': [-1, 'could not open network device br-int (No such device)'],
      'antrea-gw0': [-1, 'could not open network device antrea-gw0 (No such device)'],
      Ethernet0: [-1, none],
      'antrea-tun0': [none, none],
    });
    expect(Object.keys(errors)).toHaveLength(6);
  });

  it('leaves ovs-vswitchd stopped with its old pid file, and everything else restarted', async () => {
    await using lab = await cluster('antrea-reboot');
    const state = stateOf(lab, 'win-1');
    const boot = Date.parse(textAt(state.sections.os, 'LastBootUpTime'));
    const minutes = (Date.now() - boot) / 60_000;
    expect(minutes).toBeGreaterThan(30);
    expect(minutes).toBeLessThan(40);
    const services = rows(state, 'services');
    expect(services.find(service => service.Name === 'ovs-vswitchd')).toMatchObject({State: 'Stopped', ProcessId: 0});
    for (const {Name, State, StartedAt} of services.filter(service => service.Name !== 'ovs-vswitchd')) {
      expect([Name, State]).toEqual([Name, 'Running']);
      expect(Date.parse(String(StartedAt))).toBeGreaterThan(boot);
    }
    expect(names(state, 'processes')).not.toContain('ovs-vswitchd.exe');
    const pid = rows(state, 'files').find(file => String(file.Path).endsWith('ovs-vswitchd.pid'));
    expect(pid).toMatchObject({Exists: true});
    expect(Date.parse(String(pid?.LastWriteTime))).toBeLessThan(boot);
  });

  it('is visible in the cluster: the agent not ready, pods without a network, matching counts', async () => {
    await using lab = await cluster('antrea-reboot');
    const agents = await lab.get(
      '/api/v1/pods?labelSelector=component%3Dantrea-agent&fieldSelector=spec.nodeName%3Dwin-1',
    );
    expect(agents.body.items[0].status.containerStatuses[0]).toMatchObject({ready: false, restartCount: 2});
    const pods = await lab.get('/api/v1/namespaces/shop/pods?fieldSelector=spec.nodeName%3Dwin-1');
    for (const {status} of pods.body.items) {
      expect(status.podIP).toBeUndefined();
      expect(status.containerStatuses[0].state).toEqual({waiting: {reason: 'ContainerCreating'}});
    }
    const events = await lab.get('/api/v1/namespaces/shop/events');
    expect(events.body.items).toHaveLength(2);
    expect(events.body.items[0]).toMatchObject({reason: 'FailedCreatePodSandBox'});
    const set = await lab.get('/apis/apps/v1/namespaces/kube-system/daemonsets/antrea-agent-windows');
    expect(set.body.status).toMatchObject({desiredNumberScheduled: 2, numberReady: 1});
    const slices = await lab.get('/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices');
    const ready = listAt(slices.body.items[0], 'endpoints').map(endpoint => textAt(endpoint, 'nodeName'));
    expect(ready).toEqual(['win-1', 'win-2']);
    expect(
      slices.body.items[0].endpoints.map(({conditions}: {conditions: {ready: boolean}}) => conditions.ready),
    ).toEqual([false, true]);
  });

  it('of one node leaves the other unchanged', async () => {
    await using lab = await cluster('antrea-reboot');
    expect(names(stateOf(lab, 'win-2'), 'hnsNetworks')).toEqual(['antrea-hnsnetwork', 'nat']);
  });

  it('of a Flannel node removes the overlay; the placeholder keeps the switch and the address', async () => {
    await using lab = await cluster('flannel-overlay');
    lab.simulation.happen('fl-win-a', 'reboot');
    const state = stateOf(lab, 'fl-win-a');
    expect(names(state, 'hnsNetworks')).toEqual(['External', 'nat']);
    expect(names(state, 'netAdapters')).toEqual(['Ethernet', 'vEthernet (Ethernet)', 'vEthernet (nat)']);
    expect(rows(state, 'netIPAddresses').find(row => row.IPAddress === '10.90.12.41')?.InterfaceAlias).toBe(
      'vEthernet (Ethernet)',
    );
    expect(rows(state, 'files').find(file => String(file.Path).endsWith('sourceVip.json'))?.Exists).toBe(true);
  });

  it('of a Kube-OVN node stops what needs ovs-vswitchd, and moves the address back to its adapter', async () => {
    await using lab = await cluster('kube-ovn');
    lab.simulation.happen('kovn-win-1', 'reboot');
    const state = stateOf(lab, 'kovn-win-1');
    const stopped = rows(state, 'services').filter(service => service.State === 'Stopped');
    expect(stopped.map(service => service.Name)).toEqual(['ovs-vswitchd', 'kube-ovn', 'ovn-controller']);
    expect(names(state, 'netAdapters')).toEqual(['Ethernet0', 'Ethernet1']);
    expect(rows(state, 'netIPAddresses').find(row => row.IPAddress === '192.168.96.31')?.InterfaceAlias).toBe(
      'Ethernet1',
    );
    expect(rows(state, 'netIPAddresses').find(row => row.IPAddress === '172.20.5.31')?.InterfaceAlias).toBe(
      'Ethernet0',
    );
    expect(
      rows(state, 'adapterBindings').filter(binding => binding.ComponentID === 'vms_pp' && binding.Enabled),
    ).toEqual([]);
  });

  it('is rejected for a Linux node', async () => {
    await using lab = await cluster('antrea-healthy');
    expect(() => lab.simulation.happen('lx-ctl-1', 'reboot')).toThrow(/No simulated Windows node/);
  });
});
