import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, afterEach, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import type {NodeState} from '../../src/sim/node/state.js';
import {loadScenario} from '../../src/sim/scenarios.js';
import {rightsOf, withRules} from '../roles.js';
import {type Cluster, type Ended, Running, startCluster, startClusterOf} from './support.js';

const annotation = 'ovn.kubernetes.io/tunnel_interface';

type Rows = Record<string, unknown>[];

let cluster: Cluster;
afterEach(async () => {
  expect(await cluster.leftovers()).toBe('');
});

/** A separate cluster per test, or one for all tests that change nothing permanently. */
function inCluster(scenario: string, {shared = false} = {}): void {
  const [before, after] = shared ? [beforeAll, afterAll] : [beforeEach, afterEach];
  before(async () => {
    cluster = await startCluster(scenario);
  });
  after(() => cluster.close());
}

const annotate = (...args: string[]) => cluster.win('annotate-tunnel', ...args);

interface NodeJson {
  metadata: {
    name: string;
    annotations: Record<string, string>;
    managedFields: {manager: string; operation: string; fieldsV1: object}[];
  };
}

async function nodeJson(node: string): Promise<NodeJson> {
  return JSON.parse((await cluster.kubectl('get', 'node', node, '-o', 'json', '--show-managed-fields')).stdout);
}

const annotated = async (node: string) => (await nodeJson(node)).metadata.annotations[annotation];

function change(node: string, body: (sections: NodeState['sections']) => void): void {
  cluster.simulation.nodes.get(node)?.change(({sections}) => body(sections));
}

/** Changes the rows of one adapter in a section. */
function rowsOf(sections: NodeState['sections'], section: string, key: string, name: string): Rows {
  return (sections[section] as Rows).filter(row => row[key] === name);
}

/** A third adapter, healthy unless the test changes it. */
function addAdapter(
  node: string,
  name: string,
  body: {status?: string; address?: string | undefined; prefix?: number},
): void {
  change(node, sections => {
    const {status = 'Up', address = '192.168.96.77', prefix = 24} = body;
    const [like] = rowsOf(sections, 'netAdapters', 'HardwareInterface', true as never);
    (sections.netAdapters as Rows).push({
      ...like,
      Name: name,
      InterfaceIndex: 40,
      Status: status,
      MacAddress: '00-50-56-00-00-77',
    });
    if (!('address' in body) || body.address !== undefined) {
      const own = {
        InterfaceAlias: name,
        InterfaceIndex: 40,
        AddressFamily: 'IPv4',
        PrefixOrigin: 'Manual',
        AddressState: 'Preferred',
      };
      (sections.netIPAddresses as Rows).push({...own, IPAddress: address, PrefixLength: prefix});
    }
    (sections.netRoutes as Rows).push({
      DestinationPrefix: '192.168.96.0/24',
      NextHop: '0.0.0.0',
      InterfaceAlias: name,
      InterfaceIndex: 40,
      RouteMetric: 256,
      Store: 'ActiveStore',
    });
  });
}

describe('one node', () => {
  inCluster('kube-ovn');

  test('is annotated: real kubectl shows the annotation, the field manager and the event', async () => {
    const {code, stdout, stderr} = await annotate('kovn-win-2', 'Ethernet0');
    expect(stdout).toBe('node/kovn-win-2 annotated\n');
    expect(stderr).toBe('Inspecting 1 Windows node…\n');
    expect(code).toBe(0);
    const {metadata} = await nodeJson('kovn-win-2');
    expect(metadata.annotations[annotation]).toBe('Ethernet0');
    const writers = metadata.managedFields.filter(({fieldsV1}) => JSON.stringify(fieldsV1).includes(`f:${annotation}`));
    expect(writers.map(({manager}) => manager)).toEqual(['kubectl-win']);
    const events = await cluster.kubectl(
      'get',
      'events',
      '-n',
      'default',
      '--field-selector',
      'involvedObject.name=kovn-win-2',
    );
    expect(events.stdout).toMatch(/TunnelInterfaceSet\s+node\/kovn-win-2\s+Tunnel interface set to "Ethernet0"/);
    const described = await cluster.kubectl('describe', 'node', 'kovn-win-2');
    expect(described.stdout).toMatch(/TunnelInterfaceSet/);
  });

  test('is unchanged if it already has the value, and is replaced only with --overwrite', async () => {
    addAdapter('kovn-win-1', 'Ethernet2', {});
    const same = await annotate('kovn-win-1', 'Ethernet1');
    expect([same.stdout, same.code]).toEqual(['node/kovn-win-1 unchanged\n', 0]);
    const refused = await annotate('kovn-win-1', 'Ethernet2');
    expect(refused.stderr).toMatch(/error: kovn-win-1: the annotation is already set to Ethernet1; pass --overwrite/);
    expect(refused.code).toBe(2);
    expect(await annotated('kovn-win-1')).toBe('Ethernet1');
    const replaced = await annotate('kovn-win-1', 'Ethernet2', '--overwrite');
    expect(replaced.code).toBe(0);
    expect(replaced.stderr).toMatch(/warning: kovn-win-1: HNS network kube-ovn already exists on Ethernet1/);
    expect(replaced.stderr).toMatch(
      /To move the network of kovn-win-1 as well: add --apply[\s\S]*Removes HNS network kube-ovn/,
    );
    expect(await annotated('kovn-win-1')).toBe('Ethernet2');
  });

  test('loses the annotation with --remove', async () => {
    const {stdout, code} = await annotate('kovn-win-1', '--remove');
    expect([stdout, code]).toEqual(['node/kovn-win-1 annotation removed\n', 0]);
    expect(await annotated('kovn-win-1')).toBeUndefined();
    expect((await annotate('kovn-win-1', '--remove')).stdout).toBe('node/kovn-win-1 unchanged\n');
  });

  test('is not changed with --dry-run, on the client or on the server', async () => {
    expect((await annotate('kovn-win-2', 'Ethernet0', '--dry-run=client')).stdout).toBe(
      'node/kovn-win-2 annotated (dry run)\n',
    );
    expect((await annotate('kovn-win-2', 'Ethernet0', '--dry-run=server')).stdout).toBe(
      'node/kovn-win-2 annotated (server dry run)\n',
    );
    expect(await annotated('kovn-win-2')).toBeUndefined();
    expect((await cluster.kubectl('get', 'events', '-n', 'default')).stdout).not.toMatch(/TunnelInterface/);
  });

  test('is printed as JSON and YAML, with the patch', async () => {
    const {stdout} = await annotate('kovn-win-2', 'Ethernet0', '-o', 'json', '--dry-run=client');
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({apiVersion: 'kubectl-win/v1', kind: 'TunnelInterfaceList', dryRun: 'client'});
    expect(document.items).toEqual([
      {
        node: 'kovn-win-2',
        outcome: 'annotated',
        annotation: {name: annotation, before: null, after: 'Ethernet0'},
        adapter: {name: 'Ethernet0', address: '192.168.96.32', mac: expect.any(String), mtu: 1500, speed: '10 Gbps'},
        patch: {metadata: {annotations: {[annotation]: 'Ethernet0'}}},
        warnings: [],
      },
    ]);
    expect((await annotate('--show', '-o', 'yaml')).stdout).toMatch(/^kind: TunnelList$[\s\S]*node: kovn-win-2/m);
  });

  test('is validated against a snapshot if it cannot run a helper', async () => {
    const path = join(cluster.folder, 'snapshot.json');
    writeFileSync(path, (await cluster.win('collect', 'kovn-win-2')).stdout);
    cluster.simulation.nodes.get('kovn-win-2')?.fault({kubeletDown: true});
    expect((await annotate('kovn-win-2', 'Ethernet7', '--snapshot', path)).code).toBe(2);
    expect((await annotate('kovn-win-1', 'Ethernet1', '--snapshot', path)).code).toBe(4);
    expect((await annotate('kovn-win-2', 'Ethernet0', '--snapshot', path)).code).toBe(0);
    expect(await annotated('kovn-win-2')).toBe('Ethernet0');
  });

  test('requires a flag to select the adapter without a terminal', async () => {
    const {code, stderr} = await annotate('kovn-win-2');
    expect(stderr).toMatch(/^error: No adapter specified, and there is no terminal to choose one\.\n {2}Name it:/);
    expect(code).toBe(2);
  });
});

describe('an unsuitable adapter is rejected with the reason, and nothing is written', () => {
  inCluster('kube-ovn', {shared: true});

  async function expectRefused(adapter: string, reason: RegExp): Promise<void> {
    const {code, stdout, stderr} = await annotate('kovn-win-2', adapter);
    expect(stderr).toMatch(/^error: kovn-win-2: .*\.$/m);
    expect(stderr).toMatch(reason);
    expect(stdout).toBe('');
    expect(code).toBe(2);
    expect(await annotated('kovn-win-2')).toBeUndefined();
  }

  test('one that is missing', () =>
    expectRefused('Ethernet7', /adapter "Ethernet7" does not exist; adapters: Ethernet0/));

  test('one that matches only as a pattern', () =>
    expectRefused('Ethernet', /adapter "Ethernet" does not exist; .* matches Ethernet0/));

  test('one that is down', () => {
    addAdapter('kovn-win-2', 'Ethernet2', {status: 'Down'});
    return expectRefused('Ethernet2', /Ethernet2 cannot carry tunnels: it is down/);
  });

  test('one without an address', () => {
    addAdapter('kovn-win-2', 'Ethernet3', {address: undefined});
    return expectRefused('Ethernet3', /it has no IPv4 address/);
  });

  test('one with an APIPA address', () => {
    addAdapter('kovn-win-2', 'Ethernet4', {address: '169.254.12.7', prefix: 16});
    return expectRefused('Ethernet4', /169\.254\.12\.7 .*APIPA/);
  });

  test('one with a /32', () => {
    addAdapter('kovn-win-2', 'Ethernet5', {prefix: 32});
    return expectRefused('Ethernet5', /is a \/32/);
  });

  test("a pod's adapter, and Kube-OVN's own", async () => {
    const adapters = cluster.simulation.nodes.get('kovn-win-2')?.state.sections.netAdapters as Rows;
    const pod = String(adapters.find(({Name}) => /^vEthernet/.test(String(Name)))?.Name);
    await expectRefused(pod, /belongs to pod legacy\/crystal-reports/);
    await expectRefused('br-provider', /the NIC under it is Ethernet0/);
  });

  test('one from which no other node is reachable', async () => {
    const {code, stderr} = await annotate('kovn-win-1', 'Ethernet0', '--overwrite');
    expect(stderr).toMatch(
      /Ethernet0 has no route to the tunnel address of any other node: kovn-win-2 \(192\.168\.96\.32\)/,
    );
    expect(code).toBe(2);
    expect(await annotated('kovn-win-1')).toBe('Ethernet1');
  });

  test('one whose name contains escape sequences is printed as plain text', async () => {
    addAdapter('kovn-win-2', '\u001b[2JEthernet2', {});
    const {stderr} = await annotate('kovn-win-2', 'Ethernet7');
    expect(stderr).not.toContain('\u001b');
  });
});

describe('a fleet of thirty', () => {
  inCluster('kube-ovn-fleet');

  const allAnnotated = async () => {
    const {stdout} = await cluster.kubectl('get', 'nodes', '-l', 'kubernetes.io/os=windows', '-o', 'json');
    const {items} = JSON.parse(stdout) as {items: NodeJson[]};
    return items
      .filter(({metadata}) => metadata.annotations[annotation] === 'Ethernet1')
      .map(({metadata}) => metadata.name);
  };

  test('is annotated by --cidr in one run; the node that does not match is rejected by name', async () => {
    const {code, stdout, stderr} = await annotate('--all', '--cidr', '10.20.0.0/16');
    expect(stdout).toMatch(/^NODE\s+NOW\s+ADAPTER\s+ADDRESS\s+SPEED\s+MTU\s+ACTION$/m);
    expect(stdout).toMatch(/^kovn-win-17\s+<none>\s+Ethernet1\s+10\.20\.1\.17\s+10 Gbps\s+1500\s+annotate$/m);
    expect(stdout).toMatch(/^kovn-win-elsewhere .* refused: no adapter matches --cidr 10\.20\.0\.0\/16/m);
    expect(stdout.match(/^node\/\S+ annotated$/gm)).toHaveLength(29);
    expect(stdout.indexOf('WHAT')).toBeLessThan(stdout.indexOf('node/'));
    expect(stderr).toMatch(
      /^error: kovn-win-elsewhere: no adapter matches --cidr 10\.20\.0\.0\/16; adapters: Ethernet1 \(172\.31\.7\.30\)/m,
    );
    expect(code).toBe(2);
    expect(await allAnnotated()).toHaveLength(29);
  });

  test('is annotated from a list, and by label, name and MAC', async () => {
    const path = join(cluster.folder, 'tunnels');
    writeFileSync(path, '# node adapter\nkovn-win-1 Ethernet1\nkovn-win-2: "Ethernet1"\n');
    expect((await annotate('--from-file', path)).code).toBe(0);
    expect(await allAnnotated()).toEqual(['kovn-win-1', 'kovn-win-2']);
    expect((await annotate('-l', 'kubernetes.io/hostname=kovn-win-3', '--match', '1$')).code).toBe(0);
    expect(await annotated('kovn-win-3')).toBe('Ethernet1');
    const several = await annotate('kovn-win-4', '--mac-prefix', '00:50:56');
    expect(several.stderr).toMatch(/2 adapters match --mac-prefix 00:50:56/);
    expect(several.code).toBe(2);
  });

  test('names a node that could not be inspected, and annotates the others', async () => {
    cluster.simulation.nodes
      .get('kovn-win-2')
      ?.fault({sectionErrors: {netAdapters: {kind: 'Timeout', message: 'no answer'}}});
    const {code, stderr} = await annotate('kovn-win-1', 'kovn-win-2', '--cidr', '10.20.0.0/16');
    expect(stderr).toMatch(/error: kovn-win-2: not inspected: netAdapters could not be read \(no answer\)/);
    expect(code).toBe(4);
    expect(await allAnnotated()).toEqual(['kovn-win-1']);
  });
});

describe('--show', () => {
  inCluster('kube-ovn');

  test('finds the node whose annotation, adapter and tunnel address disagree', async () => {
    const healthy = await annotate('--show');
    expect(healthy.stdout).toMatch(
      /^kovn-win-1\s+Ethernet1\s+Ethernet1\s+192\.168\.96\.31\s+Ethernet1\s+192\.168\.96\.31\s+yes$/m,
    );
    expect(healthy.stdout).toMatch(
      /^kovn-win-2\s+<none>\s+Ethernet0\s+192\.168\.96\.32\s+Ethernet0\s+192\.168\.96\.32\s+yes$/m,
    );
    expect(healthy.code).toBe(0);
    await cluster.kubectl('annotate', 'node', 'kovn-win-1', '--overwrite', `${annotation}=Ethernet0`);
    const {stdout, code} = await annotate('--show');
    expect(stdout).toMatch(
      /^kovn-win-1\s+Ethernet0 .* no: HNS network kube-ovn uses Ethernet1, not Ethernet0\. Tunnels use the address 192\.168\.96\.31/m,
    );
    expect(stdout).toMatch(/^kovn-win-2 .* yes$/m);
    expect(code).toBe(1);
  });

  test('does not pass if a value could not be read', async () => {
    cluster.simulation.nodes.get('kovn-win-1')?.fault({sectionErrors: {ovs: {kind: 'Timeout', message: ''}}});
    const {stdout, code} = await annotate('kovn-win-1', '--show');
    expect(stdout).toMatch(/unknown: The tunnel address in use could not be read from OVS/);
    expect(code).toBe(4);
  });
});

describe('concurrent changes', () => {
  inCluster('kube-ovn');

  test('of two runs one succeeds, and the other reports the conflict', async () => {
    addAdapter('kovn-win-2', 'Ethernet2', {});
    // Both must have read the annotation before either writes: the helpers answer slowly enough for that.
    cluster.simulation.nodes.get('kovn-win-2')?.fault({helper: {kind: 'slow', ms: 150}});
    const runs = [
      cluster.start('annotate-tunnel', 'kovn-win-2', 'Ethernet0'),
      cluster.start('annotate-tunnel', 'kovn-win-2', 'Ethernet2'),
    ];
    const ended: Ended[] = await Promise.all(runs.map(run => run.ended));
    expect(ended.map(({code}) => code).sort()).toEqual([0, 2]);
    const loser = ended.find(({code}) => code === 2);
    const winner = ended.indexOf(ended.find(({code}) => code === 0) as Ended) === 0 ? 'Ethernet0' : 'Ethernet2';
    expect(loser?.stderr).toMatch(
      new RegExp(
        `error: the annotation of kovn-win-2 was changed while .*\\(was not set, is ${winner}, written by kubectl-win at `,
      ),
    );
    expect(loser?.stderr).toMatch(/run the command again: kubectl win annotate-tunnel kovn-win-2 --show/);
    expect(await annotated('kovn-win-2')).toBe(winner);
  });
});

describe('access', () => {
  afterEach(() => cluster.close());

  test('granted by the roles of manifests/rbac.yaml is sufficient', async () => {
    const rules = rightsOf('look', 'inspect', 'repair');
    cluster = await startClusterOf(withRules(loadScenario('kube-ovn'), rules));
    const {code, stdout, stderr} = await annotate('kovn-win-2', 'Ethernet0');
    expect(stdout).toBe('node/kovn-win-2 annotated\n');
    expect(stderr).not.toMatch(/warning/);
    expect(code).toBe(0);
  });

  test('is checked before anything is created on a node', async () => {
    cluster = await startClusterOf({...loadScenario('kube-ovn'), access: 'viewer'});
    const {code, stderr} = await annotate('kovn-win-2', 'Ethernet0');
    expect(stderr).toMatch(
      /^error: You are not allowed to patch nodes .*\n {2}Ask an administrator for the role kubectl-win-repair/,
    );
    expect(code).toBe(3);
  });
});

describe('another plugin', () => {
  inCluster('antrea-healthy');
  const conf = async () =>
    (
      await cluster.kubectl(
        'get',
        'cm',
        '-n',
        'kube-system',
        'antrea-windows-config',
        '-o',
        'jsonpath={.data.antrea-agent\\.conf}',
      )
    ).stdout;

  test('has no such annotation: its setting is shown, with its value and the exact patch', async () => {
    const {code, stderr} = await annotate('--all', 'Ethernet0');
    expect(stderr).toMatch(/error: win-1: it runs Antrea, which has no such annotation/);
    expect(stderr).toMatch(/transportInterface: not set \(ConfigMap kube-system\/antrea-windows-config/);
    expect(code).toBe(2);
    const [, command = ''] = /Change it: (kubectl .*)/.exec(stderr) ?? [];
    // The printed command must work: a shell passes it to kubectl.
    const {stdout} = await new Running('sh', ['-c', command], cluster.env).ended;
    expect(stdout).toMatch(/configmap\/antrea-windows-config patched/);
    expect(await conf()).toMatch(/^transportInterface: "Ethernet0"$/m);
  });

  test('is changed with --apply after a dry run and consent', async () => {
    const before = await conf();
    const unasked = await annotate('--all', 'Ethernet0', '--apply');
    expect(unasked.stderr).toMatch(/^error: no terminal: pass --yes with --apply\./);
    expect(unasked.code).toBe(2);
    const tried = await annotate('--all', 'Ethernet0', '--apply', '--dry-run=server');
    expect(tried.stderr).toMatch(/- #transportInterface:\n\s+\+ transportInterface: "Ethernet0"/);
    expect(await conf()).toBe(before);
    const {code, stdout, stderr} = await annotate('--all', 'Ethernet0', '--apply', '--yes');
    expect(stdout).toMatch(/ConfigMap kube-system\/antrea-windows-config changed/);
    expect(stderr).toMatch(/rollout restart daemonset antrea-agent-windows/);
    expect(code).toBe(0);
    expect(await conf()).toMatch(/^transportInterface: "Ethernet0"$/m);
  });

  test('is not changed if a node has no such adapter', async () => {
    const before = await conf();
    const {code, stderr} = await annotate('--all', 'Ethernet9', '--apply', '--yes');
    expect(stderr).toMatch(/--apply cannot change Antrea: .* no adapter Ethernet9 on win-1, win-2/);
    expect(code).toBe(2);
    expect(await conf()).toBe(before);
  });
});

describe('--apply', () => {
  inCluster('kube-ovn-fleet');

  test('changes the network as cleanup does: shows the plan, asks, and verifies the result', async () => {
    const unasked = await annotate('kovn-win-1', 'Ethernet1', '--apply');
    expect(unasked.stderr).toMatch(/no terminal: pass --yes with --apply/);
    expect(unasked.code).toBe(2);
    const tried = await annotate('kovn-win-1', 'Ethernet1', '--apply', '--dry-run=client');
    expect(tried.stderr).toMatch(/Removes HNS network kube-ovn\. \[cuts\]/);
    expect(await annotated('kovn-win-1')).toBeUndefined();
    const {code, stderr} = await annotate('kovn-win-1', 'Ethernet1', '--apply', '--yes');
    expect(stderr).toMatch(/tunnel\/annotation-matches-uplink\s+failed\s+passed/);
    expect(stderr).toMatch(/kovn-win-1: repaired and verified/);
    expect(code).toBe(0);
    const shown = await annotate('kovn-win-1', '--show');
    expect(shown.stdout).toMatch(
      /^kovn-win-1\s+Ethernet1\s+Ethernet1\s+10\.20\.1\.1\s+Ethernet1\s+10\.20\.1\.1\s+yes$/m,
    );
    expect(shown.code).toBe(0);
  });
});
