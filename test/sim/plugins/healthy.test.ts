import {readFileSync} from 'node:fs';
import {describe, expect, it} from 'vitest';
import {isObject, type JsonObject} from '../../../src/sim/json.js';
import {rows} from '../../../src/sim/node/state.js';
import {Lab} from './support.js';

const fixture = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../fixtures/cases/${name}.json`, import.meta.url), 'utf8')) as {
    nodes: Record<string, JsonObject>;
  };

/** Every path in a value with its type: what a reader can rely on. */
function shapeOf(value: unknown, path = '', into = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) shapeOf(item, `${path}[]`, into);
  else if (isObject(value)) for (const [key, item] of Object.entries(value)) shapeOf(item, `${path}.${key}`, into);
  else into.add(`${path}: ${value === null ? 'null' : typeof value}`);
  return into;
}

/** What was added after those snapshots were taken. */
const readSince =
  /^\.sections\.(dynamicPorts\[\]|processes\[\]\.CommandLine|netAdapters\[\]\.Hidden|vmSwitches\[\]\.SoftwareRscEnabled|firewall\.(Store|Rules\[\]\.PolicyStoreSourceType))/;

const healthy = [
  'flannel-overlay',
  'flannel-hostgw',
  'calico',
  'azure',
  'hybrid-overlay',
  'older-ovn',
  'win-bridge',
  'kube-ovn',
  'antrea-healthy',
];

describe('a healthy node', () => {
  it.each(healthy)('of %s has no findings in doctor', scenario => {
    expect(new Lab(scenario).problems()).toEqual([]);
  });

  it.each([
    ['flannel-hostgw', 'hg-win-1', '08-flannel-host-gw-after-reboot', 'hg-win-2'],
    ['calico', 'cal-win-1', '09-calico-vxlan-healthy', 'cal-win-1'],
    ['win-bridge', 'nb-win-3', '13-win-bridge-outbound-nat', 'nb-win-3'],
  ])('of %s has exactly the fields of a snapshot of such a node', (scenario, name, file, example) => {
    const simulated = shapeOf(new Lab(scenario).state(name));
    const expected = shapeOf(fixture(file).nodes[example]);
    expect([...expected].filter(path => !simulated.has(path))).toEqual([]);
    expect([...simulated].filter(path => !expected.has(path) && !readSince.test(path))).toEqual([]);
  });

  it('of azure has exactly the fields of a snapshot of such a node, except those that HNS did not report there', () => {
    const simulated = shapeOf(new Lab('azure').state('akswnp000001'));
    const expected = shapeOf(fixture('14-hns-not-answering').nodes.akswin2000004);
    const told = (path: string) => !/\.errors\.hns/.test(path);
    expect([...expected].filter(path => told(path) && !simulated.has(path))).toEqual([]);
    const isHns = (path: string) => /^\.sections\.hns/.test(path);
    expect([...simulated].filter(path => !isHns(path) && !expected.has(path) && !readSince.test(path))).toEqual([]);
  });

  it.each(['flannel-hostgw', 'calico', 'azure', 'hybrid-overlay', 'older-ovn', 'win-bridge'])(
    'of %s is consistent',
    scenario => {
      const lab = new Lab(scenario);
      expect(lab.others).toHaveLength(2);
      for (const name of lab.others) {
        const state = lab.state(name);
        const attached = rows(state, 'hnsEndpoints').filter(({State}) => State === 3);
        const pods = lab.plan(name).pods.map(({address}) => address);
        expect(pods.length).toBeGreaterThan(0);
        expect(attached.map(({IPAddress}) => IPAddress)).toEqual(pods);
        const adapters = rows(state, 'netAdapters').map(({Name}) => Name);
        for (const {Name} of attached) expect(adapters).toContain(`vEthernet (${Name})`);
        const known = rows(state, 'hnsEndpoints').map(({ID}) => `/endpoints/${String(ID).toLowerCase()}`);
        for (const {References} of rows(state, 'hnsPolicyLists'))
          expect(known).toEqual(expect.arrayContaining(References as string[]));
        const layers = new Set(rows(state, 'hnsNetworks').map(({LayeredOn}) => LayeredOn));
        expect(layers.size).toBe(1);
        expect(new Set(rows(state, 'netAdapters').map(({InterfaceIndex}) => InterfaceIndex)).size).toBe(
          adapters.length,
        );
      }
    },
  );

  it('of AKS without pods has no Azure CNI network, and needs none', () => {
    const lab = new Lab('azure');
    const plan = lab.plan('akswnp000001');
    plan.pods = [];
    const state = lab.plugin('akswnp000001').nodeState(lab.world.cluster, plan);
    expect(rows(state, 'hnsNetworks').map(({Name}) => Name)).toEqual(['ext']);
  });
});
