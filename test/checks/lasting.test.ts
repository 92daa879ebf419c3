import {describe, expect, it} from 'vitest';
import {healthy, type Raw, type Scenario, scenario} from './support.js';

const antrea = '01-antrea-healthy';
const kubeOvn = '04-kube-ovn-healthy';

/** A service that starts or stops, without a process yet. */
const pending = (changed: Scenario, name: string, state: string, more: object = {}) =>
  changed
    .section('services', services => {
      const service = services.find(({Name}: Raw) => Name === name);
      delete service.StartedAt;
      Object.assign(service, {State: state, ProcessId: 0}, more);
    })
    .section('processes', processes => {
      processes.splice(0, processes.length, ...processes.filter(({Name}: Raw) => !Name.toLowerCase().startsWith(name)));
    });

const justBooted = (changed: Scenario) =>
  changed.section('os', os => {
    os.LastBootUpTime = os.SystemTime;
  });

describe('a service that has been starting for too long', () => {
  it('is a failure of OVS', () => {
    const stuck = pending(healthy(kubeOvn), 'ovs-vswitchd', 'Start Pending', {StartMode: 'Auto'});
    expect(stuck.failures('ovs/services')[0]).toMatch(/^ovs-vswitchd is start pending/);
  });

  it('is a transition shortly after boot', () => {
    const young = justBooted(pending(healthy(kubeOvn), 'ovs-vswitchd', 'Start Pending', {StartMode: 'Auto'}));
    expect(young.outcomes('ovs/services')).toEqual(['unknown']);
  });

  it('is undetermined if its start time is unknown', () => {
    const unknown = pending(healthy(kubeOvn), 'ovs-vswitchd', 'Stop Pending', {StartMode: 'Auto'});
    expect(unknown.outcomes('ovs/services')).toEqual(['unknown']);
  });

  it('is a failure if the event log says that it hangs', () => {
    const hung = pending(healthy(kubeOvn), 'ovs-vswitchd', 'Stop Pending').section('events', events =>
      events.push({
        TimeCreated: healthy(kubeOvn).document.nodes['kovn-win-1']?.sections.os.SystemTime,
        LogName: 'System',
        ProviderName: 'Service Control Manager',
        Id: 7011,
        Message:
          'A timeout (30000 milliseconds) was reached while waiting for a response from the ovs-vswitchd service.',
      }),
    );
    expect(hung.failures('ovs/services')).toHaveLength(1);
  });

  it('is a failure of HNS, and a transition right after the boot', () => {
    const starting = () => pending(healthy(antrea), 'hns', 'Start Pending', {StartMode: 'Auto'});
    expect(starting().failures('hns/service')[0]).toMatch(/Service hns is Start Pending/);
    expect(justBooted(starting()).outcomes('hns/service')).toEqual(['unknown']);
  });
});

describe('a DaemonSet for Linux whose pods are scheduled to a Windows node', () => {
  const said = 'failed to pull image: no match for platform in manifest: not found';
  const owner = [{kind: 'DaemonSet', name: 'node-exporter'}];
  const pod = (name: string, nodeName: string, status: object) => ({
    kind: 'Pod',
    metadata: {name, namespace: 'monitoring', ownerReferences: owner},
    spec: {nodeName, containers: [{name: 'exporter', image: 'exporter:1'}]},
    status,
  });
  const stray = (nodeSelector: object) => {
    const changed = healthy(antrea);
    const linux = changed.document.cluster.objects.find(
      ({kind, metadata}: Raw) => kind === 'Node' && metadata.labels['kubernetes.io/os'] === 'linux',
    ).metadata.name;
    return changed
      .addObject({
        kind: 'DaemonSet',
        metadata: {name: 'node-exporter', namespace: 'monitoring'},
        spec: {template: {spec: {nodeSelector, containers: [{name: 'exporter', image: 'exporter:1'}]}}},
      })
      .addObject(
        pod('node-exporter-a', linux, {phase: 'Running', containerStatuses: [{name: 'exporter', ready: true}]}),
      )
      .addObject(
        pod('node-exporter-b', 'winapp-01', {
          phase: 'Pending',
          containerStatuses: [
            {name: 'exporter', ready: false, state: {waiting: {reason: 'ErrImagePull', message: said}}},
          ],
        }),
      );
  };

  it('is one finding with the selector to add, and no build mismatch', () => {
    const changed = stray({});
    expect(changed.failures('platform/image-os-build')).toEqual([]);
    expect(changed.verdicts('platform/os-selector')[0]).toMatchObject({
      outcome: 'fail',
      message: expect.stringContaining('monitoring/node-exporter is for Linux'),
      remedy: {steps: [expect.stringContaining('"kubernetes.io/os":"linux"')]},
    });
  });

  it('is an image problem if the DaemonSet selects Windows', () => {
    const changed = stray({'kubernetes.io/os': 'windows'});
    expect(changed.failures('platform/image-os-build')).toHaveLength(1);
    expect(changed.failures('platform/os-selector')).toEqual([]);
  });
});

describe('the keeper of the OpenShift services', () => {
  const id = 'cni/openshift-services';
  const named = ({Name}: Raw) => Name === 'windows-instance-config-daemon';
  const openshift = () => scenario('12-hybrid-overlay-network-missing');

  it('is not reported while it runs', () => {
    expect(openshift().failures(id)[0]).not.toMatch(/windows-instance-config-daemon/);
  });

  it('is reported if it is stopped or missing', () => {
    const stopped = openshift().section('services', services => {
      Object.assign(services.find(named), {State: 'Stopped', Description: ''});
    });
    expect(stopped.failures(id)[0]).toMatch(/windows-instance-config-daemon.* not run/);
    const missing = openshift().section('services', services => {
      services.splice(services.findIndex(named), 1);
    });
    expect(missing.failures(id)[0]).toMatch(/windows-instance-config-daemon is not installed/);
  });
});

describe('an overlay without a ManagementIP', () => {
  const changed = (change: (network: Raw) => void) =>
    healthy('06-flannel-overlay-healthy').section('hnsNetworks', networks => {
      change(networks.find(({Name}: Raw) => Name === 'flannel.4096'));
    });

  it('has lost it, whether HNS omits the field or leaves it empty', () => {
    const gone = changed(network => {
      delete network.ManagementIP;
    });
    const empty = changed(network => {
      network.ManagementIP = '';
    });
    for (const one of [gone, empty])
      expect(one.failures('net/management-ip')[0]).toMatch(/^HNS network flannel\.4096 has no ManagementIP/);
  });
});
