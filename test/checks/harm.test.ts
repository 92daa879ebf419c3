import {describe, expect, it} from 'vitest';
import {healthy, type Raw} from './support.js';

const flannel = '06-flannel-overlay-healthy';
const antrea = '01-antrea-healthy';

describe('a stale remote endpoint', () => {
  const id = 'kube-proxy/dangling-load-balancer';
  const remoteAt = (ip: string) =>
    healthy(flannel).section('hnsEndpoints', endpoints => {
      const remote = endpoints.find(({IsRemoteEndpoint}: Raw) => IsRemoteEndpoint);
      endpoints.push({...remote, ID: 'AAAAAAAA-0000-0000-0000-000000000000', IPAddress: ip});
    });

  it.each([
    ['10.244.1.5', 'that backs a Service'],
    ['10.244.1.6', 'that backs none'],
  ])('with the address %s of a live pod here, %s, is an error and named as such', ip => {
    const [found] = remoteAt(ip).verdicts(id);
    expect(found).toMatchObject({
      outcome: 'fail',
      severity: 'error',
      message: expect.stringContaining(`Stale remote endpoints have the addresses of pods on this node (${ip} of pod`),
    });
    expect(remoteAt(ip).failures(id)).toHaveLength(1);
  });

  it('that is unused is a warning', () => {
    expect(remoteAt('10.244.9.9').verdicts(id)[0]).toMatchObject({outcome: 'fail', severity: 'warning'});
  });
});

describe('a running pod whose endpoint is gone', () => {
  it('is an error, and named', () => {
    const gone = healthy(flannel).section('hnsEndpoints', endpoints => {
      endpoints.splice(0, 1);
    });
    expect(gone.verdicts('hns/endpoint-state')[0]).toMatchObject({
      outcome: 'fail',
      severity: 'error',
      message: expect.stringMatching(
        /no endpoint for these running pods, so they have no network: .*\(10\.244\.1\.5\)/,
      ),
    });
  });

  it('is allowed some time after its start', () => {
    const young = healthy(flannel)
      .section('hnsEndpoints', endpoints => endpoints.splice(0, 1))
      .section('os', os => (os.SystemTime = os.LastBootUpTime));
    expect(young.failures('hns/endpoint-state')).toEqual([]);
  });
});

describe('a running pod without its OVS port', () => {
  it('is an error: OVS drops its traffic', () => {
    const portless = healthy(antrea).section('hnsEndpoints', ([endpoint]) => (endpoint.Name = 'storefro-000000'));
    expect(portless.verdicts('ovs/pod-ports')[0]).toMatchObject({
      outcome: 'fail',
      severity: 'error',
      message: expect.stringContaining('storefro-000000'),
    });
  });
});

describe('net/port-exhaustion', () => {
  const id = 'net/port-exhaustion';
  const taken = (...protocols: string[]) =>
    healthy(antrea).node(node => {
      node.sections.dynamicPorts = ['tcp', 'udp'].map(Protocol => ({Protocol, Start: 49_152, End: 65_535}));
      node.sections.excludedPorts = protocols.map(Protocol => ({Protocol, Start: 49_152, End: 65_535}));
    });

  it('is one error for both protocols where all ports are used up', () => {
    expect(taken('tcp', 'udp').verdicts(id)).toMatchObject([
      {outcome: 'fail', severity: 'error', message: expect.stringContaining('tcp and udp')},
    ]);
  });
});

describe('default routes', () => {
  const id = 'net/default-route';
  const second = (route: object) =>
    healthy(flannel).section('netRoutes', routes => {
      const own = routes.find(({DestinationPrefix}: Raw) => DestinationPrefix === '0.0.0.0/0');
      routes.push({...own, InterfaceAlias: 'Ethernet 2', InterfaceIndex: 44, ...route});
    });

  it('compete if two adapters have equal metrics', () => {
    expect(second({NextHop: '10.200.0.1'}).failures(id)).toEqual([
      'vEthernet (Ethernet) and Ethernet 2 both have a default route with metric 0: Windows may use either.',
    ]);
  });

  it('do not compete if the interface metrics differ', () => {
    const metrics = (other: number) =>
      second({NextHop: '10.200.0.1'}).section('netIPInterfaces', rows => {
        for (const row of rows) row.InterfaceMetric = 15;
        rows.push({InterfaceAlias: 'Ethernet 2', InterfaceIndex: 44, AddressFamily: 'IPv4', InterfaceMetric: other});
      });
    expect(metrics(25).outcomes(id)).toEqual(['pass', 'pass']);
    expect(metrics(15).verdicts(id)[0]).toMatchObject({outcome: 'fail', severity: 'error'});
    // Without the interface metrics it is likely, but not certain.
    expect(second({NextHop: '10.200.0.1'}).verdicts(id)[0]).toMatchObject({outcome: 'fail', severity: 'warning'});
  });

  it('do not compete if one has a higher metric', () => {
    expect(second({NextHop: '10.200.0.1', RouteMetric: 500}).outcomes(id)).toEqual(['pass', 'pass']);
  });

  it('into a pod network fail with any metric', () => {
    expect(second({NextHop: '10.244.1.1', RouteMetric: 500}).failures(id)[0]).toMatch(/leads into the pod network/);
  });
});

describe('the node address', () => {
  it('on an adapter of a network that another plugin left is reported under that network', () => {
    const left = healthy(flannel).section('hnsNetworks', networks => {
      for (const network of networks) if (/^flannel/.test(network.Name)) network.Name = 'Calico';
    });
    const [found] = left.verdicts('net/node-ip-owner');
    expect(found).toMatchObject({outcome: 'fail', causedBy: expect.arrayContaining(['hns/foreign-network'])});
    expect(found?.message).toMatch(/HNS network Calico, a leftover of Calico/);
  });
});

describe('kube-proxy/source-vip', () => {
  const id = 'kube-proxy/source-vip';
  const vip = (ip: string) =>
    healthy(flannel).node(node => {
      node.sections = JSON.parse(JSON.stringify(node.sections).replaceAll('"10.244.1.2"', `"${ip}"`));
    });

  it('names a source VIP that is the gateway or the network address of the subnet', () => {
    const gateway = healthy(flannel).document.nodes['fl-win-a']?.sections.hnsNetworks.find(
      ({Name}: Raw) => Name === 'flannel.4096',
    ).Subnets[0].GatewayAddress;
    expect(vip(gateway).failures(id)[0]).toMatch(/is the gateway address of subnet 10\.244\.1\.0\/24/);
    expect(vip('10.244.1.0').failures(id)[0]).toMatch(/is the network address of subnet 10\.244\.1\.0\/24/);
  });
});

describe('persistent routes that are duplicated', () => {
  it('are one finding', () => {
    const route = (DestinationPrefix: string) => ({
      DestinationPrefix,
      NextHop: '10.21.40.1',
      InterfaceAlias: 'br-int',
      Store: 'PersistentStore',
    });
    const many = healthy(antrea).section('netRoutes', routes =>
      routes.push(...['10.1.0.0/16', '10.1.0.0/16', '10.2.0.0/16', '10.2.0.0/16'].map(route)),
    );
    expect(many.failures('net/duplicate-persistent-routes')).toEqual([
      '2 persistent routes are duplicated: Windows sets them again at each boot, which slows down the boot.',
    ]);
  });
});
