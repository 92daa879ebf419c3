import {describe, expect, it} from 'vitest';
import {healthy, type Raw, scenario} from '../support.js';

const antrea = '01-antrea-healthy';
const isDefault = ({DestinationPrefix}: Raw) => DestinationPrefix === '0.0.0.0/0';

function drop(list: Raw[], matches: (item: Raw) => boolean) {
  list.splice(0, list.length, ...list.filter(item => !matches(item)));
}

describe('net/default-route', () => {
  const id = 'net/default-route';

  it('reports that there is none', () => {
    const lost = healthy(antrea).section('netRoutes', routes => drop(routes, isDefault));
    expect(lost.failures(id)).toEqual(['The node has no default route: it cannot reach addresses outside its subnet.']);
  });

  it('does not count a persistent route as one that is in use', () => {
    const only = healthy('04-kube-ovn-healthy').section('netRoutes', routes =>
      drop(routes, route => isDefault(route) && route.Store === 'ActiveStore'),
    );
    expect(only.failures(id)).toHaveLength(1);
  });

  it('reports that two gateways have the same metric', () => {
    const two = healthy(antrea).section('netRoutes', routes => {
      routes.push({...routes.find(isDefault), NextHop: '10.21.40.254'});
    });
    expect(two.failures(id)[0]).toMatch(/default routes to 2 gateways/);
  });

  it('accepts a second gateway that is not preferred', () => {
    const spare = healthy(antrea).section('netRoutes', routes => {
      routes.push({...routes.find(isDefault), NextHop: '10.21.40.254', RouteMetric: 500});
    });
    expect(spare.outcomes(id)).toEqual(['pass']);
  });

  it('informs if the default route is on another NIC and the API server is on-link', () => {
    expect(scenario('10-calico-wrong-management-ip').outcomes(id)).toEqual(['info']);
  });

  it('fails if the default route is on another NIC and the API server is unreachable', () => {
    const far = scenario('10-calico-wrong-management-ip')
      .object('EndpointSlice', 'kubernetes', slice => {
        slice.endpoints[0].addresses = ['10.99.0.1'];
      })
      .section('probes', probes => {
        for (const probe of probes) probe.Ok = false;
      });
    expect(far.failures(id)).toHaveLength(1);
  });
});

describe('net/duplicate-persistent-routes', () => {
  const id = 'net/duplicate-persistent-routes';
  const route = {
    DestinationPrefix: '169.254.169.254/32',
    NextHop: '0.0.0.0',
    InterfaceAlias: "O'Neill's NIC",
    Store: 'PersistentStore',
  };

  it('counts a duplicate persistent route, and quotes names in its commands', () => {
    const twice = healthy(antrea).section('netRoutes', routes => routes.push(route, route, route));
    const [found] = twice.verdicts(id);
    expect(found).toMatchObject({outcome: 'fail', severity: 'warning'});
    expect(found?.message).toContain('169.254.169.254/32 via 0.0.0.0 exists 3 times');
    expect(JSON.stringify(found?.remedy)).toContain("-InterfaceAlias 'O''Neill''s NIC'");
  });

  it('does not count a route that is in both stores, nor one with two gateways', () => {
    const fine = healthy(antrea).section('netRoutes', routes =>
      routes.push(route, {...route, Store: 'ActiveStore'}, {...route, NextHop: '10.21.40.1'}),
    );
    expect(fine.outcomes(id)).toEqual(['pass']);
  });
});

describe('net/metadata-route', () => {
  const id = 'net/metadata-route';
  const azure = '11-azure-cni-after-reboot';
  const isMetadata = ({DestinationPrefix}: Raw) => DestinationPrefix === '169.254.169.254/32';

  it('reports the missing route on a cloud node', () => {
    const lost = scenario(azure).section('netRoutes', routes => drop(routes, isMetadata));
    expect(lost.failures(id)[0]).toMatch(/metadata service of Azure/);
  });

  it('does not accept the route of an adapter with a 169.254 address', () => {
    const wrong = scenario(azure).section('netRoutes', routes => {
      for (const route of routes.filter(isMetadata)) route.DestinationPrefix = '169.254.0.0/16';
    });
    expect(wrong.failures(id)).toHaveLength(1);
  });

  it('applies only to clouds', () => {
    expect(healthy(antrea).outcomes(id)).toEqual(['skipped']);
    expect(scenario(azure).outcomes(id)).toEqual(['pass']);
  });
});

describe('a default route on another adapter', () => {
  const id = 'net/default-route';
  /** Antrea's node with a second way out. */
  const second = (route: object, metrics: Record<string, number> = {}) =>
    healthy(antrea)
      .section('netRoutes', routes =>
        routes.push({
          ...routes.find(isDefault),
          InterfaceAlias: 'Ethernet1',
          InterfaceIndex: 9,
          NextHop: '192.168.1.1',
          ...route,
        }),
      )
      .section('netIPInterfaces', interfaces => {
        interfaces.push({InterfaceAlias: 'Ethernet1', InterfaceIndex: 9, AddressFamily: 'IPv4'});
        for (const one of interfaces)
          if (one.AddressFamily === 'IPv4') one.InterfaceMetric = metrics[one.InterfaceAlias];
      })
      .verdicts(id)[0];

  it('competes with the same metric, and is only a warning where metrics of adapters were not read', () => {
    expect(second({})).toMatchObject({
      outcome: 'fail',
      severity: 'warning',
      message: 'br-int and Ethernet1 both have a default route with metric 0: Windows may use either.',
      evidence: [{seen: ['br-int via 10.21.40.1, metric 0', 'Ethernet1 via 192.168.1.1, metric 0']}],
      remedy: {
        steps: [
          "Set-NetIPInterface -InterfaceAlias 'Ethernet1' -AddressFamily IPv4 -InterfaceMetric 500",
          expect.anything(),
        ],
      },
    });
    expect(second({RouteMetric: 1})?.outcome).toBe('pass');
  });

  it.each([
    ['equal', {'br-int': 15, Ethernet1: 15}, {}, 'fail'],
    ['different', {'br-int': 15, Ethernet1: 25}, {}, 'pass'],
    ['different, which the routes make equal', {'br-int': 25, Ethernet1: 15}, {RouteMetric: 10}, 'fail'],
  ])('competes by the sum of both metrics: those of adapters are %s', (_, metrics, route, outcome) => {
    expect(second(route, metrics)?.outcome).toBe(outcome);
    if (outcome === 'fail') expect(second(route, metrics)?.severity).toBe('error');
  });

  it('into the pod network is an error, whatever its metric', () => {
    expect(
      second({NextHop: '10.124.1.1', RouteMetric: 900, InterfaceAlias: 'antrea-gw0', InterfaceIndex: 21}),
    ).toMatchObject({
      outcome: 'fail',
      severity: 'error',
      message:
        'A default route on antrea-gw0 leads into the pod network (10.124.1.1): outbound traffic of the node may use it instead of br-int.',
      remedy: {
        steps: [
          "Remove-NetRoute -DestinationPrefix 0.0.0.0/0 -InterfaceAlias 'antrea-gw0' -NextHop '10.124.1.1'",
          expect.anything(),
        ],
      },
    });
  });

  it('is reported by its name where it has no index', () => {
    const named = (InterfaceAlias: string) => second({InterfaceAlias, InterfaceIndex: undefined, RouteMetric: 5});
    expect(named('BR-INT')?.outcome).toBe('pass');
    expect(second({InterfaceAlias: 'Ethernet1', InterfaceIndex: undefined})?.outcome).toBe('fail');
  });
});

describe('a default route that is not on the adapter of the node address', () => {
  const id = 'net/default-route';
  const elsewhere = (server: string, ok: boolean) =>
    scenario('10-calico-wrong-management-ip')
      .object('EndpointSlice', 'kubernetes', slice => {
        slice.endpoints[0].addresses = [server];
      })
      .section('probes', probes => {
        for (const probe of probes) probe.Ok = ok;
      });

  it('is not a fault where the API server answers, or is in the same subnet', () => {
    expect(elsewhere('10.99.0.1', true).outcomes(id)).toEqual(['info']);
    expect(elsewhere('192.168.140.10', false).outcomes(id)).toEqual(['info']);
  });

  it('is reported with both adapters', () => {
    expect(elsewhere('10.99.0.1', false).verdicts(id)).toMatchObject([
      {
        outcome: 'fail',
        message: expect.stringMatching(/^The default route is on vEthernet \(Ethernet\), not on Ethernet 2, which has/),
        evidence: [{field: 'InterfaceAlias', seen: 'vEthernet (Ethernet)', expected: 'Ethernet 2'}],
        remedy: {cutsNetwork: true},
      },
    ]);
  });

  it('is a fault where the subnet or the API server is not known', () => {
    const unknown = elsewhere('192.168.140.10', false).section('netIPAddresses', all => {
      for (const address of all) delete address.PrefixLength;
    });
    expect(unknown.outcomes(id)).toEqual(['fail']);
    const unnamed = elsewhere('192.168.140.10', false).object('EndpointSlice', 'kubernetes', slice => {
      slice.endpoints = [];
    });
    expect(unnamed.outcomes(id)).toEqual(['fail']);
  });

  it('is undetermined where no adapter has the address', () => {
    const lost = healthy(antrea).section('netIPAddresses', all =>
      drop(all, ({IPAddress}) => IPAddress === '10.21.40.61'),
    );
    expect(lost.outcomes(id)).toEqual(['unknown']);
  });
});

describe('persistent routes', () => {
  const id = 'net/duplicate-persistent-routes';
  const route = (DestinationPrefix: string, more: object = {}) => ({
    DestinationPrefix,
    NextHop: '10.21.40.1',
    InterfaceAlias: 'br-int',
    Store: 'PersistentStore',
    ...more,
  });
  const duplicated = (...all: object[]) => healthy(antrea).section('netRoutes', routes => routes.push(...all));

  it('are told together where several are duplicated', () => {
    const two = duplicated(route('10.1.0.0/16'), route('10.1.0.0/16'), route('10.2.0.0/16'), route('10.2.0.0/16'));
    expect(two.verdicts(id)).toMatchObject([
      {
        message: expect.stringMatching(/^2 persistent routes are duplicated/),
        evidence: [
          {object: '10.1.0.0/16 via 10.21.40.1', seen: 2},
          {object: '10.2.0.0/16 via 10.21.40.1', seen: 2},
        ],
      },
    ]);
  });

  it('are removed and added once, on the console where they are the way out', () => {
    const steps = (...all: object[]) => duplicated(...all).verdicts(id)[0]?.remedy;
    const plain = [
      "Remove-NetRoute -PolicyStore PersistentStore -DestinationPrefix '10.1.0.0/16' -NextHop '10.21.40.1' -Confirm:$false",
      "New-NetRoute -PolicyStore PersistentStore -DestinationPrefix '10.1.0.0/16' -NextHop '10.21.40.1' -InterfaceAlias 'br-int'",
    ];
    expect(steps(route('10.1.0.0/16', {InterfaceAlias: undefined}), route('10.1.0.0/16'))).toMatchObject({
      steps: plain,
    });
    expect(steps(route('0.0.0.0/0'), route('0.0.0.0/0'))).toMatchObject({
      steps: [expect.anything(), expect.anything(), expect.stringContaining('Use the console')],
    });
    const bare = {InterfaceAlias: undefined, NextHop: undefined};
    expect(steps(route('10.1.0.0/16', bare), route('10.1.0.0/16', bare))).toMatchObject({
      steps: [expect.stringContaining("-NextHop '0.0.0.0'"), expect.stringContaining("-InterfaceAlias 'ADAPTER'")],
    });
  });
});

describe('the cloud of a node', () => {
  const id = 'net/metadata-route';
  const node = (providerID: string | undefined, labels: object = {}) =>
    healthy(antrea)
      .object('Node', 'winapp-01', ({spec, metadata}) => {
        spec.providerID = providerID;
        Object.assign(metadata.labels, labels);
      })
      .verdicts(id)[0];
  const cloud = (...told: Parameters<typeof node>) =>
    /metadata service of (.*?):/.exec(node(...told)?.message ?? '')?.[1] ?? node(...told)?.outcome;

  it.each([
    ['aws:///eu-west-1a/i-0123', {}, 'AWS'],
    [undefined, {'eks.amazonaws.com/nodegroup': 'win'}, 'AWS'],
    ['gce://project/zone/name', {}, 'Google Cloud'],
    [undefined, {'cloud.google.com/gke-nodepool': 'win'}, 'Google Cloud'],
    ['azure:///subscriptions/x', {}, 'Azure'],
    [undefined, {'kubernetes.azure.com/cluster': 'x'}, 'Azure'],
    ['vsphere://4210', {}, 'skipped'],
    ['x-aws://1', {}, 'skipped'],
    [undefined, {'example.com/kubernetes.azure.com': 'x'}, 'skipped'],
  ])('is recognised by %s and labels %j: %s', (provider, labels, told) => {
    expect(cloud(provider, labels)).toBe(told);
  });

  it('needs a route that is in use', () => {
    const routed = (Store: string) =>
      healthy(antrea)
        .object('Node', 'winapp-01', ({spec}) => {
          spec.providerID = 'aws:///x';
        })
        .section('netRoutes', routes =>
          routes.push({DestinationPrefix: '169.254.169.254/32', NextHop: '0.0.0.0', InterfaceAlias: 'br-int', Store}),
        )
        .outcomes(id);
    expect(routed('ActiveStore')).toEqual(['pass']);
    expect(routed('PersistentStore')).toEqual(['fail']);
  });
});
