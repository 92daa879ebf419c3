import {createHash} from 'node:crypto';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {afterAll, expect, it} from 'vitest';
import {derived} from '../../src/sim/windows/derived.mjs';
import type {WindowsMachine} from '../../src/sim/windows/machine.js';
import {sectionNames} from '../../src/snapshot/section-names.js';
import {type Answer, ask, collect, describeHelper, dumpOf, machineFor, nativeSections, nodeOf} from './powershell.js';
import {type Row, rows} from './state.js';

const machines: WindowsMachine[] = [];
const made = (...parameters: Parameters<typeof machineFor>): WindowsMachine => {
  const machine = machineFor(...parameters);
  machines.push(machine);
  return machine;
};
afterAll(async () => {
  for (const machine of machines) await machine.dispose();
});

const probesOf = (node: ReturnType<typeof nodeOf>) => rows(node, 'probes').map(({Target, Kind}) => ({Target, Kind}));

describeHelper('collect', () => {
  it('prints every section of a node completely, in snapshot format', async () => {
    const node = nodeOf('01-antrea-healthy');
    const machine = made(node);
    const wanted = sectionNames.filter(name => !nativeSections.includes(name));
    const answer = await ask(machine, collect(wanted, {probes: probesOf(node)}));
    expect(answer).toMatchObject({whole: true, noise: [], exitCode: 0, stderr: ''});
    const {sections, errors} = dumpOf(answer);
    expect(errors).toEqual({});
    expect(Object.keys(sections).sort()).toEqual([...wanted].sort());
    const expected: typeof node.sections = {...node.sections};
    for (const name of ['hnsNamespaces', 'vfpPorts', 'ovsFlows']) expected[name] = derived(node.sections, name);
    expected.dnsServers = rows(node, 'dnsServers').map(row => ({...row, Origin: 'Automatic'}));
    for (const name of nativeSections) delete expected[name];
    expect(comparable(sections)).toEqual(comparable(expected));
  });

  it('reads the folders of distributions: text as text, programs by name, and no credentials', async () => {
    const node = nodeOf('06-flannel-overlay-healthy');
    const rke2 = 'C:\\var\\lib\\rancher\\rke2';
    const conf = '{"name":"flannel.4096","plugins":[{"type":"flannel"}]}';
    const toml = `conf_dir = "C:\\\\var"\n[auth]\n  username = "robot"\n  Password="s3cret"\n  identitytoken = 's3cret'\n`;
    const texts = {
      'C:\\Program Files\\containerd\\cni\\conf\\0-containerd-nat.conf': conf,
      'C:\\k\\antrea\\etc\\antrea-agent.conf':
        'clientConnection:\n  kubeconfig: C:\\k\\antrea\\etc\\antrea-agent.kubeconfig\n',
      [`${rke2}\\agent\\etc\\cni\\07-flannel.conflist`]: conf,
      [`${rke2}\\agent\\etc\\cni\\net.d\\10-calico.conf`]: conf,
      [`${rke2}\\agent\\flanneld-net-conf.json`]: '{"Network":"10.42.0.0/16"}',
      [`${rke2}\\agent\\etc\\containerd\\config.toml`]: toml,
    };
    // The first of them is named in antrea-agent.conf, so its existence is reported.
    const names = [
      'C:\\k\\antrea\\etc\\antrea-agent.kubeconfig',
      'C:\\Program Files\\containerd\\cni\\bin\\nat.exe',
      `${rke2}\\bin\\host-local.exe`,
      `${rke2}\\bin\\notes.json`,
    ];
    const never = [`${rke2}\\agent\\flannel.kubeconfig`];
    const file = (Path: string, Content = 's3cret') => ({Path, Exists: true, Content});
    const all = [
      ...Object.entries(texts).map(entry => file(...entry)),
      ...[...names, ...never].map(path => file(path)),
    ];
    node.sections.files = [...rows(node, 'files'), ...all];
    const answer = await ask(made(node), collect(['files']));
    const read = new Map(rows(dumpOf(answer), 'files').map(row => [row.Path, row]));
    for (const [path, text] of Object.entries(texts)) {
      if (text !== toml) expect(read.get(path)).toMatchObject({Exists: true, Content: text});
    }
    expect(read.get(`${rke2}\\agent\\etc\\containerd\\config.toml`)?.Content).toBe(
      'conf_dir = "C:\\\\var"\n[auth]\n  username = "hidden"\n  Password= "hidden"\n  identitytoken = "hidden"\n',
    );
    for (const path of names) {
      expect(read.get(path)?.Exists).toBe(true);
      expect(read.get(path)).toEqual(expect.not.objectContaining({Content: expect.anything()}));
    }
    expect(never.filter(path => read.has(path))).toEqual([]);
    expect(answer.text).not.toContain('s3cret');
  });

  it("reads group policy firewall rules, nssm programs, blocked VFP ports, moved port ranges and containerd's folders", async () => {
    const node = nodeOf('06-flannel-overlay-healthy');
    const rule = {DisplayName: 'From the domain', Enabled: true, Direction: 'Inbound', Action: 'Allow'};
    const firewall = node.sections.firewall as {Rules: Row[]};
    firewall.Rules.push(
      {...rule, Name: 'policy', Protocol: 'UDP', LocalPort: '4789', PolicyStoreSourceType: 'GroupPolicy'},
      {...rule, Name: 'hardening', Protocol: 'Any', LocalPort: 'Any', PolicyStoreSourceType: 'Hardcoded'},
    );
    const nssm = {State: 'Running', StartMode: 'Auto', ProcessId: 0, PathName: 'C:\\k\\nssm.exe'};
    node.sections.services = [
      ...rows(node, 'services').filter(({Name}) => Name !== 'kube-proxy'),
      {...nssm, Name: 'kube-proxy', Application: 'C:\\k\\kube-proxy.exe', AppParameters: '--v=4 --source-vip=10.0.0.9'},
      {...nssm, Name: 'kubelet-wrapped', Application: 'C:\\k\\kubelet.exe', AppParameters: '--token=s3cret'},
    ];
    node.sections.vfpPorts = [
      {Name: '5F0C0000-0000-0000-0000-000000000001', FriendlyName: 'ExternalPort', Enabled: true, Blocked: true},
    ];
    node.sections.dynamicPorts = [
      {Protocol: 'tcp', Start: 16385, End: 65535},
      {Protocol: 'udp', Start: 49152, End: 65535},
    ];
    node.sections.containerd = {ConfDir: 'C:\\my cni\\conf', BinDirs: ['C:\\my cni\\bin']};
    const conf = {Path: 'C:\\my cni\\conf\\10-odd.conflist', Exists: true, Content: '{"name":"odd"}'};
    node.sections.files = [...rows(node, 'files'), conf];
    const answer = await ask(
      made(node),
      collect(['firewall', 'services', 'vfpPorts', 'dynamicPorts', 'containerd', 'files']),
    );
    const {sections, errors} = dumpOf(answer);
    expect(errors).toEqual({});
    const read = sections.firewall as {Store: string; Rules: Row[]};
    expect(read.Store).toBe('ActiveStore');
    expect(read.Rules.filter(({PolicyStoreSourceType}) => PolicyStoreSourceType !== 'Local')).toMatchObject([
      {Name: 'policy', PolicyStoreSourceType: 'GroupPolicy', LocalPort: '4789'},
    ]);
    const service = (name: string) => rows({sections}, 'services').find(({Name}) => Name === name);
    expect(service('kube-proxy')).toMatchObject({
      Application: 'C:\\k\\kube-proxy.exe',
      AppParameters: '--v=4 --source-vip=10.0.0.9',
    });
    expect(service('kubelet-wrapped')).toMatchObject({Application: 'C:\\k\\kubelet.exe'});
    expect(answer.text).not.toContain('s3cret');
    expect(sections.vfpPorts).toMatchObject([{FriendlyName: 'ExternalPort', Blocked: true}]);
    expect(sections.dynamicPorts).toEqual(node.sections.dynamicPorts);
    expect(sections.containerd).toMatchObject(node.sections.containerd as object);
    expect(sections.files).toContainEqual(expect.objectContaining({Path: conf.Path, Content: conf.Content}));
  });

  it('reports why a section cannot be read, in the format of a snapshot', async () => {
    const node = nodeOf('06-flannel-overlay-healthy', undefined);
    const withoutHyperV = nodeWithout('06-flannel-overlay-healthy', 'vmSwitches');
    const machine = made(withoutHyperV);
    const answer = await ask(machine, collect(['ovs', 'vmSwitches', 'vmSwitchExtensions', 'hnsNetworks', 'nonsense']));
    const {sections, errors} = dumpOf(answer);
    expect(errors).toEqual({
      ovs: withoutHyperV.errors.ovs,
      vmSwitches: withoutHyperV.errors.vmSwitches,
      vmSwitchExtensions: withoutHyperV.errors.vmSwitchExtensions,
      nonsense: {kind: 'CommandNotFound', message: "This helper has no section 'nonsense'"},
    });
    expect(sections.hnsNetworks).toEqual(withoutHyperV.sections.hnsNetworks);
    expect(node.errors.ovs?.kind).toBe('NotInstalled');
  });

  it('limits a section that hangs to its time limit, and one that throws to itself', async () => {
    const node = nodeOf('01-antrea-healthy');
    const hung = ['hnsNetworks', 'hnsEndpoints', 'hnsPolicyLists'];
    for (const name of hung) node.errors[name] = {kind: 'Timeout', message: 'it sleeps for an hour'};
    node.errors.netNats = {kind: 'Failed', message: 'Der RPC-Server ist nicht verfügbar.'};
    node.errors.windowsFeatures = {kind: 'AccessDenied', message: 'Zugriff verweigert'};
    const machine = made(node);
    const wanted = [...hung, 'hnsService', 'netNats', 'windowsFeatures', 'os', 'netAdapters', 'netRoutes', 'registry'];
    const answer = await ask(machine, collect(wanted, {sectionTimeoutMs: 15_000}));
    const {sections, errors} = dumpOf(answer);
    // They sleep for an hour.
    for (const name of hung) expect(errors[name]).toEqual({kind: 'Timeout', message: 'No answer within 15 s'});
    expect(errors.hnsService?.kind).toBe('Timeout');
    expect(errors.netNats).toEqual({kind: 'Failed', message: 'Der RPC-Server ist nicht verfügbar.'});
    expect(errors.windowsFeatures?.kind).toBe('AccessDenied');
    expect(Object.keys(sections).sort()).toEqual(['netAdapters', 'netRoutes', 'os', 'registry']);
    expect(answer.whole).toBe(true);
  });

  it('keeps the deadline of the request, and reports every section that it could not wait for', async () => {
    const node = nodeOf('01-antrea-healthy');
    for (const name of sectionNames) node.errors[name] = {kind: 'Timeout', message: ''};
    const machine = made(node);
    const wanted = [
      'os',
      'hnsNetworks',
      'netAdapters',
      'netRoutes',
      'services',
      'events',
      'firewall',
      'scheduledTasks',
    ];
    const answer = await ask(machine, collect(wanted, {deadlineMs: 10_000, sectionTimeoutMs: 120_000}));
    const {errors} = dumpOf(answer);
    expect(Object.keys(errors).sort()).toEqual([...wanted].sort());
    for (const {kind} of Object.values(errors)) expect(kind).toBe('Timeout');
    expect(answer).toMatchObject({whole: true, exitCode: 0});
  });

  it('passes names with blanks, quotes, dollars, semicolons and other scripts unchanged, and executes none of them', async () => {
    const node = nodeOf('01-antrea-healthy');
    const proof = 'executed-by-mistake';
    const names = [
      'Ethernet 2',
      `"quoted" 'twice'`,
      `$(New-Item -Path ${proof})`,
      `; New-Item ${proof} #`,
      '`$env:PATH`',
      'イーサネット',
      'Сетевое подключение',
      'vEthernet (Überwachung & Co.)',
      '%SystemRoot%|<>',
      '\u{1F9E9} back\\slash\\',
    ];
    node.sections.netAdapters = names.map((Name, index) => ({
      ...rows(node, 'netAdapters')[0],
      Name,
      InterfaceIndex: 100 + index,
    }));
    const [network] = rows(node, 'hnsNetworks');
    node.sections.hnsNetworks = names.map(Name => ({...network, Name}));
    const machine = made(node);
    const answer = await ask(machine, collect(['netAdapters', 'hnsNetworks', 'files']));
    const {sections} = dumpOf(answer);
    expect(sections.netAdapters).toMatchObject(names.map(Name => ({Name})));
    expect(sections.hnsNetworks).toMatchObject(names.map(Name => ({Name})));
    expect(existsSync(proof)).toBe(false);
  });

  it('prints 400 endpoints, 600 policy lists and 100 adapters completely, with numbers above 2^53 intact', async () => {
    const node = nodeOf('06-flannel-overlay-healthy');
    const [endpoint] = rows(node, 'hnsEndpoints');
    const [list] = rows(node, 'hnsPolicyLists');
    const [adapter] = rows(node, 'netAdapters');
    const many = (count: number, of: object | undefined) =>
      Array.from({length: count}, (_, index) => ({
        ...of,
        Name: `n${index}`,
        Deep: {a: {b: {c: {d: {e: [index, [1], []]}}}}},
      }));
    node.sections.hnsEndpoints = many(400, endpoint);
    node.sections.hnsPolicyLists = many(600, list);
    node.sections.netAdapters = many(100, adapter);
    const machine = made(node);
    // JSON.stringify would round it: it is inserted as text, and must be printed as the same text.
    const big = '134168820117204417';
    const state = readFileSync(machine.stateFile, 'utf8');
    writeFileSync(machine.stateFile, state.replaceAll('"Name":"n7"', `"Name":"n7","Exact":${big}`));
    const answer = await ask(machine, collect(['hnsEndpoints', 'hnsPolicyLists', 'netAdapters']));
    const {sections} = dumpOf(answer);
    expect(sections.hnsEndpoints).toHaveLength(400);
    expect(sections.hnsPolicyLists).toHaveLength(600);
    expect(sections.netAdapters).toHaveLength(100);
    expect(rows({sections}, 'hnsEndpoints').at(-1)).toMatchObject({
      Deep: {a: {b: {c: {d: {e: [399, [1], []]}}}}},
    });
    expect(answer.text).toContain(`"Exact":${big}`);
    expect(answer.whole).toBe(true);
  });

  it('passes on the JSON of HNS unchanged, also from the Server 2019 envelope', async () => {
    const node = nodeOf('01-antrea-healthy');
    Object.assign(node.sections.os as object, {BuildNumber: '17763'});
    const machine = made(node);
    const big = '134168820117204417';
    const state = readFileSync(machine.stateFile, 'utf8');
    writeFileSync(
      machine.stateFile,
      state.replace('"Name":"antrea-hnsnetwork"', `"Name":"antrea-hnsnetwork","Exact":${big}`),
    );
    const answer = await ask(machine, collect(['hnsNetworks', 'hnsEndpoints', 'hnsPolicyLists', 'hnsService']));
    const {sections, errors} = dumpOf(answer);
    expect(errors).toEqual({});
    expect(answer.text).toContain(`"Exact":${big}`);
    expect(sections.hnsEndpoints).toEqual(node.sections.hnsEndpoints);
    expect(sections.hnsPolicyLists).toEqual(node.sections.hnsPolicyLists);
  });

  it('prints empty lists as lists', async () => {
    const node = nodeOf('01-antrea-healthy');
    for (const name of ['hnsNetworks', 'hnsEndpoints', 'netAdapters', 'scheduledTasks']) node.sections[name] = [];
    const machine = made(node);
    const {sections} = dumpOf(
      await ask(machine, collect(['hnsNetworks', 'hnsEndpoints', 'netAdapters', 'scheduledTasks', 'plans'])),
    );
    expect(sections).toEqual({hnsNetworks: [], hnsEndpoints: [], netAdapters: [], scheduledTasks: [], plans: []});
  });
});

describeHelper('wire', () => {
  it('starts with the script hash, and ends with the count and hash of its lines', async () => {
    const machine = made(nodeOf('01-antrea-healthy'));
    const {messages, whole}: Answer = await ask(machine, collect(['os']));
    const scriptHash = createHash('sha256').update(readFileSync(machine.helper)).digest('hex');
    expect(messages[0]).toMatchObject({type: 'hello', protocol: 1, scriptHash});
    expect(messages.map(({type}) => type)).toEqual(['hello', 'section', 'end']);
    expect(whole).toBe(true);
  });

  it.each([
    ['a line that is not base64', '%%%', 'BadRequest'],
    ['base64 that is not JSON', Buffer.from('nonsense').toString('base64'), 'BadRequest'],
    ['JSON that is not an object', Buffer.from('[1,2]').toString('base64'), 'BadRequest'],
    ['another protocol', {protocol: 2, request: 'collect'}, 'UnsupportedProtocol'],
    ['an unknown request', {protocol: 1, request: 'format-disk'}, 'UnknownRequest'],
    ['sections that are not a list', {protocol: 1, request: 'collect', sections: 'os'}, 'BadRequest'],
    [
      'a probe of an unknown kind',
      {protocol: 1, request: 'collect', sections: [], probes: [{Target: 'x:1', Kind: 'run'}]},
      'BadRequest',
    ],
    [
      'a deadline that is not a number',
      {protocol: 1, request: 'collect', sections: [], deadlineMs: 'soon'},
      'BadRequest',
    ],
  ])('refuses %s with a clear error', async (_, request, kind) => {
    const machine = machines[0] ?? made(nodeOf('01-antrea-healthy'));
    const answer = await ask(machine, request);
    expect(answer.messages.map(({type}) => type)).toEqual(['hello', 'error', 'end']);
    expect(answer.messages[1]).toMatchObject({kind});
    expect(answer).toMatchObject({whole: true, exitCode: 0, stderr: ''});
  });
});

describeHelper('a user on the node', () => {
  it('gets a snapshot document from -Snapshot', async () => {
    const node = nodeOf('01-antrea-healthy');
    const machine = made(node);
    const out = `${machine.folder}/snapshot.json`;
    const {exitCode, stderr} = await ask(machine, '', {parameters: ['-Snapshot', '-OutFile', out]});
    expect({exitCode, stderr}).toEqual({exitCode: 0, stderr: ''});
    const document = JSON.parse(readFileSync(out, 'utf8'));
    expect(document).toMatchObject({apiVersion: 'kubectl-win/v1', kind: 'Snapshot'});
    const [dump] = Object.values<{sections: object; errors: object}>(document.nodes);
    const read = [...Object.keys(dump?.sections ?? {}), ...Object.keys(dump?.errors ?? {})];
    expect(read.sort()).toEqual(sectionNames.filter(name => name !== 'probes').sort());
    if (nativeSections.length === 0) expect(dump?.errors).toEqual({});
  });
});

function nodeWithout(caseName: string, section: string): ReturnType<typeof nodeOf> {
  const path = new URL(`../fixtures/cases/${caseName}.json`, import.meta.url);
  const {nodes} = JSON.parse(readFileSync(path, 'utf8'));
  const found = Object.values<ReturnType<typeof nodeOf>>(nodes).find(({errors}) => errors[section] !== undefined);
  if (found === undefined) throw new Error(`no node of ${caseName} lacks ${section}`);
  return found;
}

/** Without what differs between runs: durations, and what only a full-length log file or a driver could show. */
function comparable(sections: Record<string, unknown>): unknown {
  const {services, files, logs, probes, hnsService, dnsServers, firewall, ...rest} = sections;
  const dump = {sections, errors: {}};
  const byName = <Row extends Record<string, unknown>>(list: Row[], key: string): Row[] =>
    list.toSorted((a, b) => (String(a[key]) < String(b[key]) ? -1 : 1));
  return {
    ...rest,
    services: byName(
      rows(dump, 'services').map(({Description, StartedAt, ...row}) => row),
      'Name',
    ),
    files: byName(
      rows(dump, 'files')
        .filter(({Exists}) => Exists)
        .map(({Content, Length, ...row}) => ({...row, Content, ...(Content === undefined && {Length})})),
      'Path',
    ),
    logs: byName(
      rows(dump, 'logs').map(({Length, ...row}) => row),
      'Path',
    ),
    probes: rows(dump, 'probes').map(({Ms, ...row}) => row),
    hnsService: {...(hnsService as object), RespondedMs: 0},
    dnsServers: rows(dump, 'dnsServers').map(({AddressFamily, ...row}) => row),
    firewall: JSON.parse(
      JSON.stringify(firewall, (key, value) => (key === 'Name' && value === '' ? undefined : value)),
    ),
  };
}
