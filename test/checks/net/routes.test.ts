import {describe, expect, it} from 'vitest';
import {healthy, type Raw, scenario} from '../support.js';

const antrea = '01-antrea-healthy';
const isDefault = ({DestinationPrefix}: Raw) => DestinationPrefix === '0.0.0.0/0';

function drop(list: Raw[], matches: (item: Raw) => boolean) {
  list.splice(0, list.length, ...list.filter(item => !matches(item)));
}

describe('net/default-route', () => {
  const id = 'net/default-route';

  it('says that there is none', () => {
    const lost = healthy(antrea).section('netRoutes', routes => drop(routes, isDefault));
    expect(lost.failures(id)).toEqual(['The node has no default route: it cannot reach addresses outside its subnet.']);
  });

  it('does not take a persistent route for one that is in use', () => {
    const only = healthy('04-kube-ovn-healthy').section('netRoutes', routes =>
      drop(routes, route => isDefault(route) && route.Store === 'ActiveStore'),
    );
    expect(only.failures(id)).toHaveLength(1);
  });

  it('says that two gateways have the same metric', () => {
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

  it('informs where the way out is on another NIC and the API server is near', () => {
    expect(scenario('10-calico-wrong-management-ip').outcomes(id)).toEqual(['info']);
  });

  it('fails where the way out is on another NIC and the API server is out of reach', () => {
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

  it('counts a persistent route that stands more than once, and quotes names in its commands', () => {
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

  it('misses the route on a node of a cloud', () => {
    const lost = scenario(azure).section('netRoutes', routes => drop(routes, isMetadata));
    expect(lost.failures(id)[0]).toMatch(/metadata service of Azure/);
  });

  it('does not take the route of an adapter with a 169.254 address for it', () => {
    const wrong = scenario(azure).section('netRoutes', routes => {
      for (const route of routes.filter(isMetadata)) route.DestinationPrefix = '169.254.0.0/16';
    });
    expect(wrong.failures(id)).toHaveLength(1);
  });

  it('is for clouds alone', () => {
    expect(healthy(antrea).outcomes(id)).toEqual(['skipped']);
    expect(scenario(azure).outcomes(id)).toEqual(['pass']);
  });
});
