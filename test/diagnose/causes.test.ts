import {describe, expect, test} from 'vitest';
import {diagnose} from '../../src/diagnose/diagnose.js';
import {allChecks, checkCluster, checkNode, subjectOf} from '../../src/diagnose/engine.js';
import {byRootCause, type Finding} from '../../src/diagnose/root-causes.js';
import {caseNames, healthy, type Raw, type Scenario, scenario} from '../checks/support.js';
import fc from '../seeded.js';

/** What is shown for the first node, root causes first. */
function findings(changed: Scenario): Finding[] {
  const snapshot = changed.read();
  const names = [...snapshot.nodes.keys()];
  const {nodes, cluster} = diagnose({snapshot, names, failures: new Map(), selection: {}, now: new Date(0)});
  const first = nodes.find(({name}) => name === names[0]);
  return byRootCause(first?.results ?? [], cluster.results);
}

const shown = (changed: Scenario) =>
  findings(changed).map(({root, explains}) => [root.id, ...explains.map(({id}) => id)]);
const top = (changed: Scenario) => findings(changed)[0];

const crashing = (status: Raw) => {
  status.conditions = [{type: 'Ready', status: 'False'}];
  for (const container of status.containerStatuses) {
    container.ready = false;
    container.restartCount = 12;
    container.state = {waiting: {reason: 'CrashLoopBackOff'}};
    container.lastState = {terminated: {exitCode: 1, finishedAt: '2026-03-03T10:40:00Z'}};
  }
};

const withoutNetwork = (name: string, network: RegExp) =>
  healthy(name).section('hnsNetworks', networks => {
    networks.splice(0, networks.length, ...networks.filter(({Name}: Raw) => !network.test(Name)));
  });

const flannel = '06-flannel-overlay-healthy';
const noFlannelNetwork = () =>
  withoutNetwork(flannel, /^flannel/).section('hnsEndpoints', endpoints => endpoints.splice(0));
const logged = (changed: Scenario, line: string) =>
  changed.section('logs', ([log]) => (log.Tail = `${log.Tail}\n${line}`));
const refused = 'E0303 10:40:12.000000    1 main.go:9] hnsCall failed in Win32: The parameter is incorrect. (0x57)';

describe('a missing object is not the root if something explains why it could not be created', () => {
  test('without any other finding, the missing network is the root', () => {
    expect(top(noFlannelNetwork())?.root.id).toBe('hns/network-present');
  });

  test('an agent that crashes', () => {
    const changed = noFlannelNetwork().object('Pod', /^kube-flannel-ds-windows/, ({status}) => crashing(status));
    expect(top(changed)?.root.id).toBe('cni/agent-pod');
    expect(top(changed)?.explains.map(({id}) => id)).toContain('hns/network-present');
  });

  test('an agent whose DaemonSet has no pod here, with OVS in its pod', () => {
    const changed = withoutNetwork('01-antrea-healthy', /^antrea/)
      .object('DaemonSet', 'antrea-agent-windows', ({spec}) => spec.template.spec.containers.push({name: 'antrea-ovs'}))
      .removeObjects(({kind, metadata}) => kind === 'Pod' && metadata.name.startsWith('antrea-agent-windows'))
      .section('ovs', ovs => (ovs.Bridges = []))
      .section('processes', processes => {
        processes.splice(0, processes.length, ...processes.filter(({Name}: Raw) => !/antrea|ovs/i.test(Name)));
      })
      .section('services', services => {
        services.splice(0, services.length, ...services.filter(({Name}: Raw) => !/ovs/.test(Name)));
      });
    expect(top(changed)?.root.id).toBe('cni/agent-pod');
    expect(top(changed)?.explains.map(({id}) => id)).toEqual(
      expect.arrayContaining(['hns/network-present', 'ovs/services']),
    );
  });

  test('a network of another plugin on the NIC', () => {
    const changed = noFlannelNetwork().section('hnsNetworks', networks => {
      networks.push({...networks[0], ID: 'C0FFEE00-0000-4000-8000-000000000001', Name: 'Calico'});
    });
    expect(top(changed)?.root).toMatchObject({id: 'hns/foreign-network', severity: 'error'});
    expect(top(changed)?.explains.map(({id}) => id)).toContain('hns/network-present');
  });

  test('a missing node address', () => {
    const changed = noFlannelNetwork().section('netIPAddresses', addresses => {
      addresses.splice(0, addresses.length, ...addresses.filter(({IPAddress}: Raw) => IPAddress !== '10.90.12.41'));
    });
    expect(top(changed)?.root.id).toBe('net/node-ip-owner');
    expect(top(changed)?.explains.map(({id}) => id)).toContain('hns/network-present');
  });

  test('an error in a log, if only the log names the cause', () => {
    const changed = logged(noFlannelNetwork(), refused);
    expect(top(changed)?.root).toMatchObject({id: 'log/known-error', message: expect.stringContaining('its NIC is')});
    expect(top(changed)?.explains.map(({id}) => id)).toContain('hns/network-present');
  });

  test('a log line does not outrank a check that measured the same', () => {
    const changed = logged(noFlannelNetwork(), refused).section('hnsNetworks', networks => {
      networks.push({...networks[0], ID: 'C0FFEE00-0000-4000-8000-000000000001', Name: 'Calico'});
    });
    expect(top(changed)?.root.id).toBe('hns/foreign-network');
    const explained = top(changed)?.explains ?? [];
    expect(explained.map(({id}) => id)).toEqual(expect.arrayContaining(['hns/network-present', 'log/known-error']));
    const causesOf = (its: string) => explained.find(({id}) => id === its)?.causedBy ?? [];
    expect(causesOf('hns/network-present')).not.toContain('log/known-error');
    expect(causesOf('log/known-error')).toContain('hns/foreign-network');
  });

  test('an error in a log explains the agent that crashes because of it', () => {
    const changed = logged(noFlannelNetwork(), refused).object('Pod', /^kube-flannel-ds-windows/, ({status}) =>
      crashing(status),
    );
    expect(top(changed)?.root.id).toBe('log/known-error');
    expect(top(changed)?.explains.map(({id}) => id)).toEqual(
      expect.arrayContaining(['cni/agent-pod', 'hns/network-present']),
    );
  });

  test('a missing host endpoint follows from the agent; a leftover one blocks the agent', () => {
    const hung = scenario('08-flannel-host-gw-after-reboot').object(
      'Pod',
      /^kube-flannel-ds-windows/,
      ({spec, status}) => {
        if (spec.nodeName === 'hg-win-1') crashing(status);
      },
    );
    expect(top(hung)?.root.id).toBe('hns/host-endpoint');
    expect(top(hung)?.explains.map(({id}) => id)).toContain('cni/agent-pod');
  });
});

test('an agent whose image cannot be pulled is not blocked by leftovers of its last run', () => {
  const neverRan = scenario('08-flannel-host-gw-after-reboot').object(
    'Pod',
    /^kube-flannel-ds-windows/,
    ({spec, status}) => {
      if (spec.nodeName !== 'hg-win-1') return;
      crashing(status);
      for (const container of status.containerStatuses) container.state = {waiting: {reason: 'ImagePullBackOff'}};
    },
  );
  expect(top(neverRan)?.root.id).toBe('cni/agent-pod');
  expect(top(neverRan)?.explains.map(({id}) => id)).toContain('hns/host-endpoint');
});

describe('an agent that crashes', () => {
  const antrea = () =>
    healthy('01-antrea-healthy').object('Pod', /^antrea-agent-windows/, ({status}) => crashing(status));

  test('is explained by the OVS that it requires', () => {
    const changed = antrea()
      .section('services', services => (services.find(({Name}: Raw) => Name === 'ovs-vswitchd').State = 'Stopped'))
      .section('processes', processes => {
        processes.splice(0, processes.length, ...processes.filter(({Name}: Raw) => !/ovs-vswitchd/.test(Name)));
      });
    expect(top(changed)?.root.id).toBe('ovs/services');
    expect(top(changed)?.explains.map(({id}) => id)).toContain('cni/agent-pod');
  });

  test('is explained by the missing cluster setting, which is also shown for the node', () => {
    const changed = antrea().object('ConfigMap', /^antrea-windows-config/, ({data}) => {
      data['antrea-agent.conf'] = data['antrea-agent.conf'].replace(/kubeAPIServerOverride.*/g, '');
    });
    expect(top(changed)).toMatchObject({root: {id: 'cni/api-server-override'}, ofCluster: true});
    expect(top(changed)?.explains.map(({id}) => id)).toContain('cni/agent-pod');
  });

  test('is the root if nothing explains it', () => {
    expect(shown(antrea())[0]?.[0]).toBe('cni/agent-pod');
  });
});

describe('the ClusterIP of the API server', () => {
  const probed = (changed: Scenario, ok: boolean) =>
    changed.section('probes', probes =>
      probes.push({Kind: 'tcp', Target: '10.96.0.1:443', Ok: ok, Error: 'timed out'}),
    );

  test('that fails while the server itself answers follows from kube-proxy', () => {
    const changed = probed(healthy(flannel), false)
      .removeObjects(({kind, metadata}) => kind === 'Pod' && metadata.name.startsWith('kube-proxy-windows'))
      .section('processes', processes => {
        processes.splice(0, processes.length, ...processes.filter(({Name}: Raw) => !/kube-proxy/.test(Name)));
      });
    expect(top(changed)?.root.id).toBe('kube-proxy/expected');
    expect(top(changed)?.explains.map(({id}) => id)).toContain('net/api-server');
  });

  test('that answers is not a finding', () => {
    expect(shown(probed(healthy(flannel), true))).toEqual([]);
  });
});

test('cluster settings that Windows rejects explain the tunnel port and VNI that follow from them', () => {
  const snapshot = scenario('07-flannel-overlay-vni-port').read();
  const {cluster} = diagnose({
    snapshot,
    names: [...snapshot.nodes.keys()],
    failures: new Map(),
    selection: {},
    now: new Date(0),
  });
  const told = byRootCause(cluster.results).map(({root, explains}) => [root.id, ...explains.map(({id}) => id)]);
  expect(told).toEqual([['cni/flannel-net-conf', 'tunnel/udp-port', 'tunnel/vni']]);
});

describe('severity', () => {
  test('a warning that explains an error is an error', () => {
    const changed = logged(noFlannelNetwork(), refused);
    expect(top(changed)?.root).toMatchObject({id: 'log/known-error', severity: 'error'});
  });

  test('a warning that explains nothing worse stays a warning', () => {
    const changed = logged(healthy(flannel), refused);
    expect(top(changed)?.root).toMatchObject({id: 'log/known-error', severity: 'warning'});
  });

  test.each(caseNames)('%s: no root is less severe than what it explains', name => {
    const lighter = findings(scenario(name)).filter(
      ({root, explains}) => root.severity !== 'error' && explains.some(({severity}) => severity === 'error'),
    );
    expect(lighter).toEqual([]);
  });
});

/** What can fail at the same time on a Flannel node: some of it explains the rest, in both directions. */
const damages: Readonly<Record<string, (node: Scenario) => Scenario>> = {
  'no network': node =>
    node.section('hnsNetworks', networks => {
      networks.splice(0, networks.length, ...networks.filter(({Name}: Raw) => !/^flannel/.test(Name)));
    }),
  'no endpoints': node => node.section('hnsEndpoints', endpoints => endpoints.splice(0)),
  'a network of another plugin': node =>
    node.section('hnsNetworks', networks => {
      networks.push({...networks[0], ID: 'C0FFEE00-0000-4000-8000-000000000001', Name: 'Calico'});
    }),
  'no address': node =>
    node.section('netIPAddresses', addresses => {
      addresses.splice(0, addresses.length, ...addresses.filter(({IPAddress}: Raw) => IPAddress !== '10.90.12.41'));
    }),
  'an agent that crashes': node => node.object('Pod', /^kube-flannel-ds-windows/, ({status}) => crashing(status)),
  'a refusal in a log': node => logged(node, refused),
  'no kube-proxy': node =>
    node
      .removeObjects(({kind, metadata}) => kind === 'Pod' && metadata.name.startsWith('kube-proxy-windows'))
      .section('processes', processes => {
        processes.splice(0, processes.length, ...processes.filter(({Name}: Raw) => !/kube-proxy/.test(Name)));
      }),
};

/** Any case unchanged, and a node with any combination of these faults. */
const anyCase = fc.oneof(
  fc.constantFrom(...caseNames).map(name => () => scenario(name)),
  fc
    .subarray(Object.keys(damages), {minLength: 1})
    .map(some => () => some.reduce((node, damage) => damages[damage]?.(node) ?? node, healthy(flannel))),
);

test('the root finding does not depend on the order of the checks', () => {
  fc.assert(
    fc.property(anyCase, fc.shuffledSubarray([...allChecks], {minLength: allChecks.length}), (make, checks) => {
      const snapshot = make().read();
      const subjects = [...snapshot.nodes.keys()].map(node => subjectOf(snapshot, node, 0));
      const told = (order: typeof allChecks) =>
        subjects.map(subject => {
          const cluster = checkCluster(snapshot.cluster, subjects, order);
          return byRootCause(checkNode(subject, order, cluster), cluster);
        });
      expect(JSON.stringify(told(checks))).toBe(JSON.stringify(told(allChecks)));
    }),
    {numRuns: 60},
  );
});
