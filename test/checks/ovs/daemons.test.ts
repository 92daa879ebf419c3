import {describe, expect, it} from 'vitest';
import {healthy, type Scenario, scenario} from '../support.js';

const named = (name: string) => (row: {Name: string}) => row.Name === name;

/** The same node with OVS in the agent's pod: one more container, no services (antrea-windows-with-ovs.yml). */
function inPod(antrea: Scenario): Scenario {
  const container = {name: 'antrea-ovs', image: 'antrea/antrea-windows:v2.2.0'};
  return antrea
    .object('DaemonSet', 'antrea-agent-windows', set => set.spec.template.spec.containers.push(container))
    .object('Pod', /^antrea-agent-windows/, pod => pod.spec.containers.push(container))
    .node(({sections}) => {
      sections.services = sections.services.filter(({Name}: {Name: string}) => !/^ovs/.test(Name));
    });
}

function withoutProcess(antrea: Scenario, name: string): Scenario {
  return antrea.node(({sections}) => {
    sections.processes = sections.processes.filter(({Name}: {Name: string}) => Name !== name);
  });
}

describe('ovs/services', () => {
  it('names the daemon that stopped, its exit code and the pid file it left', () => {
    const [finding] = scenario('02-antrea-after-reboot').verdicts('ovs/services');
    expect(finding).toMatchObject({outcome: 'fail', severity: 'error'});
    expect(finding?.message).toContain('ovs-vswitchd is stopped (exit code 1067)');
    expect(finding?.evidence).toContainEqual(
      expect.objectContaining({object: 'C:\\openvswitch\\var\\run\\openvswitch\\ovs-vswitchd.pid', seen: '3276'}),
    );
  });

  it('accepts processes if OVS runs in the agent pod and has no services', () => {
    expect(inPod(healthy('01-antrea-healthy')).outcomes('ovs/services')).toEqual(['pass']);
  });

  it('finds a daemon that does not run in the agent pod', () => {
    const broken = withoutProcess(inPod(healthy('01-antrea-healthy')), 'ovs-vswitchd.exe');
    expect(broken.failures('ovs/services')).toEqual([expect.stringContaining('ovs-vswitchd')]);
  });

  it('allows the agent pod time after a boot', () => {
    const booting = withoutProcess(inPod(healthy('01-antrea-healthy')), 'ovs-vswitchd.exe').section('os', os => {
      os.LastBootUpTime = '2026-03-03T10:40:00+00:00';
    });
    expect(booting.outcomes('ovs/services')).toEqual(['info']);
  });

  it('finds a deleted service', () => {
    const broken = withoutProcess(healthy('04-kube-ovn-healthy'), 'ovsdb-server.exe').node(({sections}) => {
      sections.services = sections.services.filter(({Name}: {Name: string}) => Name !== 'ovsdb-server');
    });
    expect(broken.failures('ovs/services')).toEqual([expect.stringContaining('ovsdb-server')]);
  });

  it('is undetermined without a service if the processes were not read', () => {
    const unread = inPod(healthy('01-antrea-healthy')).without('processes');
    expect(unread.outcomes('ovs/services')).toEqual(['unknown', 'unknown']);
  });

  it('reads a numeric service state', () => {
    const numbered = healthy('01-antrea-healthy').section('services', services => {
      services.find(named('ovs-vswitchd')).State = 4;
    });
    expect(numbered.without('processes').outcomes('ovs/services')).toEqual(['pass']);
  });
});

describe('ovs/driver', () => {
  const without = (name: string) =>
    healthy(name)
      .section('drivers', drivers => {
        drivers.ovsext = {Installed: false, Inf: [], Signed: null};
      })
      .section('vmSwitchExtensions', rows => {
        rows.splice(0, rows.length, ...rows.filter(({Id}: {Id: string}) => !/^583CC151/i.test(Id)));
      })
      .section('hnsNetworks', networks => {
        for (const network of networks)
          network.Extensions = network.Extensions.filter(({Id}: {Id: string}) => !/^583CC151/i.test(Id));
      });

  it.each(['01-antrea-healthy', '04-kube-ovn-healthy'])('finds the driver missing in %s', name => {
    expect(without(name).failures('ovs/driver')).toEqual([expect.stringContaining('not installed')]);
  });

  it('finds two packages of the driver', () => {
    const twice = healthy('01-antrea-healthy').section('drivers', drivers => {
      drivers.ovsext.Inf = ['oem8.inf', 'oem12.inf'];
    });
    expect(twice.failures('ovs/driver')).toEqual([expect.stringContaining('oem8.inf, oem12.inf')]);
  });

  it('trusts a switch that lists the extension over the localised output of netcfg', () => {
    const german = healthy('01-antrea-healthy').section('drivers', drivers => {
      drivers.ovsext.Installed = false;
    });
    expect(german.outcomes('ovs/driver')).toEqual(['pass']);
  });

  it('does not count one package listed twice as two', () => {
    const repeated = healthy('01-antrea-healthy').section('drivers', drivers => {
      drivers.ovsext.Inf = ['oem8.inf', 'OEM8.INF'];
    });
    expect(repeated.outcomes('ovs/driver')).toEqual(['pass']);
  });

  it('is undetermined if Windows did not report it', () => {
    const silent = without('01-antrea-healthy').section('drivers', drivers => {
      drivers.ovsext = null;
    });
    expect(silent.outcomes('ovs/driver')).toEqual(['unknown']);
  });

  it('does not apply to plugins without OVS', () => {
    expect(healthy('06-flannel-overlay-healthy').outcomes('ovs/driver')).toEqual(['skipped', 'skipped']);
  });
});
