import {describe, expect, it} from 'vitest';
import {type Scenario, scenario} from '../support.js';

const bridge = () => scenario('13-win-bridge-outbound-nat');
const peer = '10.190.0.0/24';
// biome-ignore lint/suspicious/noExplicitAny: raw routes
type Raw = any;
const withoutRoute = (changed: Scenario) =>
  changed.node(node => {
    node.sections.netRoutes = node.sections.netRoutes.filter(({DestinationPrefix}: Raw) => DestinationPrefix !== peer);
  });

describe('net/peer-routes', () => {
  it('finds that a win-bridge node has no route to the pods of another node', () => {
    expect(withoutRoute(bridge()).failures('net/peer-routes')[0]).toMatch(/nb-master \(10\.190\.0\.0\/24\)/);
  });

  it('finds a route that leads elsewhere', () => {
    const changed = bridge().section('netRoutes', routes => {
      routes.find(({DestinationPrefix}: Raw) => DestinationPrefix === peer).NextHop = '10.11.200.1';
    });
    expect(changed.failures('net/peer-routes')[0]).toMatch(/no route/);
  });

  it('does not count a route that is only in the persistent store', () => {
    const changed = bridge().section('netRoutes', routes => {
      routes.find(({DestinationPrefix}: Raw) => DestinationPrefix === peer).Store = 'PersistentStore';
    });
    expect(changed.failures('net/peer-routes')).toHaveLength(1);
  });

  it('requires no routes if the cloud creates them', () => {
    const cloud = withoutRoute(bridge()).object('Node', 'nb-win-3', node => {
      node.spec.providerID = 'gce://project/zone/nb-win-3';
    });
    expect(cloud.outcomes('net/peer-routes')).toEqual(['info']);
  });

  it('requires no route to a node behind a router', () => {
    const far = withoutRoute(bridge()).object('Node', 'nb-master', node => {
      node.status.addresses[0].address = '10.99.0.8';
    });
    expect(far.outcomes('net/peer-routes')).toEqual(['pass']);
  });

  it('finds a route to a node that no longer exists', () => {
    const changed = bridge().section('netRoutes', routes => {
      routes.push({
        DestinationPrefix: '10.190.9.0/24',
        NextHop: '10.11.200.90',
        InterfaceAlias: 'vEthernet (Ethernet)',
        Store: 'ActiveStore',
      });
    });
    expect(changed.failures('net/peer-routes')[0]).toMatch(/10\.11\.200\.90/);
  });
});
