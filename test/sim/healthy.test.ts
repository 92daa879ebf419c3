import {readFileSync} from 'node:fs';
import {describe, expect, it} from 'vitest';
import {isObject, type JsonObject, listAt, textAt} from '../../src/sim/json.js';
import {changeRows, tablesOf} from '../../src/sim/node/ovs.js';
import {rows} from '../../src/sim/node/state.js';
import {type Cluster, cluster} from './support.js';

const fixture = (name: string) =>
  JSON.parse(readFileSync(new URL(`../fixtures/cases/${name}.json`, import.meta.url), 'utf8')) as {
    nodes: Record<string, JsonObject>;
    cluster: {objects: JsonObject[]};
  };

/** Every path in a value with its type: what a reader can rely on. */
function shapeOf(value: unknown, path = '', into = new Set<string>()): Set<string> {
  // The headings of OVS tables distinguish their cells, and are compared.
  if (path.endsWith('.data')) return into;
  if (Array.isArray(value)) for (const item of value) shapeOf(item, `${path}[]`, into);
  else if (isObject(value)) for (const [key, item] of Object.entries(value)) shapeOf(item, `${path}.${key}`, into);
  else into.add(`${path}: ${value === null ? 'null' : typeof value}`);
  return into;
}

/** Sections and fields that were added after those snapshots were taken. */
const newer =
  /^\.sections\.(hnsNamespaces|hnsPortPools|vfpPorts|containerd|dynamicPorts|ovsFlows|environment)\b|\.(Hidden|SoftwareRscEnabled|PolicyStoreSourceType|InterfaceMetric|AutomaticMetric|SkipAsSource|Origin|CommandLine): |^\.sections\.firewall\.Store: /;

const node = (lab: Cluster, name: string) => {
  const found = lab.simulation.nodes.get(name);
  if (!found) throw new Error(`no node ${name}`);
  return found;
};

describe('a healthy node', () => {
  it.each([
    ['antrea-healthy', 'win-1', '01-antrea-healthy', 'winapp-01'],
    ['kube-ovn', 'kovn-win-1', '04-kube-ovn-healthy', 'kovn-win-1'],
    ['flannel-overlay', 'fl-win-a', '06-flannel-overlay-healthy', 'fl-win-a'],
  ])('of %s has exactly the fields of a healthy snapshot', async (scenario, name, file, example) => {
    await using lab = await cluster(scenario);
    const simulated = shapeOf(node(lab, name).state);
    const expected = shapeOf(fixture(file).nodes[example]);
    expect([...expected].filter(path => !simulated.has(path))).toEqual([]);
    expect([...simulated].filter(path => !expected.has(path) && !newer.test(path))).toEqual([]);
  });

  it('without the Hyper-V role cannot list switches', async () => {
    await using lab = await cluster('flannel-overlay');
    const {errors} = node(lab, 'fl-win-b').state;
    expect(errors).toEqual(fixture('06-flannel-overlay-healthy').nodes['fl-win-b']?.errors);
  });

  it('lists HNS fields in the order of its Windows: Resources last since 2022', async () => {
    await using lab = await cluster('antrea-healthy');
    const last = (name: string) => Object.keys(rows(node(lab, name).state, 'hnsNetworks')[0] ?? {}).at(-1);
    expect([last('win-1'), last('win-2')]).toEqual(['Resources', 'Version']);
  });

  it.each(['antrea-healthy', 'kube-ovn', 'flannel-overlay'])(
    'of %s is consistent with itself and the cluster',
    async scenario => {
      await using lab = await cluster(scenario);
      for (const {os, name, address, state} of lab.simulation.nodes.values()) {
        if (os !== 'windows') continue;
        const {body} = await lab.get(`/api/v1/pods?fieldSelector=spec.nodeName%3D${name}`);
        const pods = (body.items as JsonObject[]).filter(pod => !(isObject(pod.spec) && pod.spec.hostNetwork));
        const podAddresses = pods.map(pod => textAt(pod, 'status', 'podIP')).sort();
        expect(podAddresses.length).toBeGreaterThan(0);
        const attached = rows(state, 'hnsEndpoints').filter(endpoint => endpoint.State === 3);
        expect(attached.map(endpoint => endpoint.IPAddress).sort()).toEqual(podAddresses);

        const adapters = rows(state, 'netAdapters').map(adapter => adapter.Name);
        for (const endpoint of attached) expect(adapters).toContain(`vEthernet (${endpoint.Name})`);
        for (const section of ['netIPAddresses', 'netIPInterfaces', 'netRoutes', 'dnsServers']) {
          const aliases = rows(state, section).map(row => row.InterfaceAlias);
          expect(aliases.filter(alias => alias !== 'Loopback Pseudo-Interface 1' && !adapters.includes(alias))).toEqual(
            [],
          );
        }
        const owner = rows(state, 'netIPAddresses').find(row => row.IPAddress === address)?.InterfaceAlias;
        const ways = rows(state, 'netRoutes').filter(route => route.DestinationPrefix === '0.0.0.0/0');
        expect(new Set(ways.map(route => route.InterfaceAlias))).toEqual(new Set([owner]));

        const ports: unknown[] = [];
        changeRows(tablesOf(state.sections.ovs).Interface, row => {
          ports.push(row.name);
          expect(row.error).toEqual(['set', []]);
          return {};
        });
        if (scenario === 'flannel-overlay') expect(ports).toEqual([]);
        else for (const endpoint of attached) expect(ports).toContain(endpoint.Name);

        const ids = rows(state, 'hnsEndpoints').map(endpoint => `/endpoints/${String(endpoint.ID).toLowerCase()}`);
        for (const list of rows(state, 'hnsPolicyLists')) {
          for (const reference of listAt(list, 'References')) expect(ids).toContain(reference);
        }
      }
    },
  );

  it('has current times, not build times', async () => {
    await using lab = await cluster('antrea-healthy');
    const {sections} = node(lab, 'win-1').state;
    expect(Math.abs(Date.parse(textAt(sections.os, 'SystemTime')) - Date.now())).toBeLessThan(60_000);
  });
});
