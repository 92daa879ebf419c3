import {expect, test} from 'vitest';
import {buildReport, doctorExitCode, type NodeReport} from '../../../src/diagnose/report.js';
import {stringWidth} from '../../../src/lib/width.js';
import type {Result} from '../../../src/model/result.js';
import {printDocument} from '../../../src/view/text/print.js';
import {reportView} from '../../../src/view/text/report.js';

const failure = (id: string, rest: Partial<Result> = {}): Result => ({
  id,
  outcome: 'fail',
  severity: 'error',
  title: `Title of ${id}`,
  message: `What is wrong by ${id}.`,
  evidence: [],
  docs: `kubectl win explain ${id}`,
  ...rest,
});

const passed = (id: string): Result => ({
  ...failure(id),
  outcome: 'pass',
  severity: 'info',
  message: 'OK.',
});

const broken: NodeReport = {
  name: 'win-1',
  cni: {
    name: 'antrea',
    variant: 'encap',
    version: '2.1.0',
    confidence: 'certain',
    evidence: ['DaemonSet kube-system/antrea-agent-windows'],
  },
  inspected: true,
  results: [
    failure('hns/network-present', {causedBy: ['ovs/services']}),
    failure('ovs/services', {
      evidence: [{section: 'services', object: 'ovs-vswitchd', field: 'State', seen: 'Stopped', expected: 'Running'}],
      remedy: {kind: 'command', command: 'kubectl win cleanup win-1', cutsNetwork: false},
    }),
    failure('net/apipa', {
      evidence: [
        {
          section: 'netIPAddresses',
          object: 'a\u001b[31mdapter\u0007',
          seen: ['169.254.3.1', '10.0.0.1'],
          expected: 'no 169.254 address',
        },
      ],
      remedy: {kind: 'manual', steps: ['ipconfig /renew', 'Restart-Service hns'], cutsNetwork: true},
    }),
    failure('cluster/rebooted', {severity: 'warning', causedBy: ['hns/network-present']}),
    failure('net/mtu', {severity: 'warning'}),
    {...failure('net/static-ip'), outcome: 'info', severity: 'info', message: 'The address is static.'},
    {
      ...failure('hns/threads'),
      outcome: 'unknown',
      severity: 'info',
      message: 'Undetermined: hnsService was not collected.',
    },
    {
      ...failure('hns/crash'),
      outcome: 'unknown',
      severity: 'info',
      message: 'Undetermined: events was not collected.',
    },
    {
      ...failure('hns/responds'),
      outcome: 'unknown',
      severity: 'info',
      message: 'Undetermined: hnsService was not collected.',
    },
    passed('hns/service'),
    passed('net/default-route'),
  ],
};

const healthy: NodeReport = {
  name: 'win-2',
  cni: {name: 'antrea', version: '2.1.0', confidence: 'likely', evidence: []},
  inspected: true,
  results: [passed('hns/service')],
};

const unreachable: NodeReport = {
  name: 'win-3',
  cni: {name: 'unknown', confidence: 'guess', evidence: []},
  inspected: false,
  error: 'the helper pod did not start: ImagePullBackOff.',
  results: [],
};

const report = (...nodes: NodeReport[]) =>
  buildReport({
    generatedAt: new Date('2026-03-02T09:12:50.123Z'),
    version: 'v1.29.4',
    context: 'prod',
    clusterResults: [],
    nodes,
  });

const whole = report(unreachable, healthy, broken);

test('the text shows the root cause first and folds what it explains under it', async () => {
  await expect(reportView().text(whole, {colour: false})).toMatchFileSnapshot('golden/text.txt');
});

test('the text wraps to the terminal and is coloured there', async () => {
  await expect(reportView().text(whole, {colour: true, width: 60})).toMatchFileSnapshot('golden/text-60-colour.txt');
});

test('on a narrow terminal values are below their labels, and words stay whole', async () => {
  const text = reportView().text(whole, {colour: false, width: 40});
  expect(text.split('\n').filter(line => stringWidth(line) > 40)).toEqual([]);
  await expect(text).toMatchFileSnapshot('golden/text-40.txt');
});

/** The finding of ten nodes, with the names of each. */
const rebooted = (name: string): NodeReport => ({
  ...broken,
  name,
  results: [
    failure('ovs/stale-bridge', {
      severity: 'error',
      title: 'Stale OVS bridge left over from before a reboot',
      message: 'Bridge br-int is in the OVS database, but HNS network antrea-hnsnetwork does not exist.',
      evidence: ['br-int', 'antrea-gw0', 'pod-1', 'pod-2'].map(port => ({
        section: 'ovs',
        object: `Interface ${port}`,
        field: 'error',
        seen: `could not open network device ${port} (No such device)`,
        expected: 'none',
      })),
      remedy: {kind: 'command', command: `kubectl win cleanup ${name}`, cutsNetwork: false},
      peers: {failing: 3, of: 5},
    }),
    failure('hns/network-present', {causedBy: ['ovs/stale-bridge'], title: 'HNS network of the plugin is missing'}),
  ],
});

const wrongMac = (name: string, mac: string): NodeReport => ({
  ...broken,
  name,
  results: [
    failure('tunnel/vtep-mac', {
      title: 'Published MAC address does not match the tunnel',
      message: `Other nodes send to ${mac}.`,
      evidence: [
        {
          section: 'hnsEndpoints',
          object: 'e'.repeat(64),
          field: 'MacAddress',
          seen: mac,
          expected: '00:15:5d:00:00:0a',
        },
      ],
      remedy: {kind: 'command', command: `kubectl win annotate-tunnel ${name} Ethernet0`, cutsNetwork: false},
    }),
  ],
});

const fleet = report(
  ...['win-10', 'win-2', 'win-1'].map(rebooted),
  wrongMac('win-20', '00:15:5d:00:00:01'),
  wrongMac('win-3', '00:15:5d:00:00:02'),
  {...healthy, name: 'win-4', results: [passed('hns/service'), failure('net/mtu', {severity: 'warning'})]},
);

test('the same finding on many nodes is shown once, with its nodes in natural order and one command', async () => {
  const text = reportView().text(fleet, {colour: false});
  expect(text.match(/Stale OVS bridge/g)).toHaveLength(1);
  await expect(text).toMatchFileSnapshot('golden/fleet.txt');
});

test('the same line about several containers is one line with a count', async () => {
  const event = (id: string) => ({
    section: 'events',
    object: 'events of pod shop/web',
    seen: `failed to setup network for sandbox "${id.repeat(64)}"`,
  });
  const text = await reportView().text(
    report({...healthy, results: [failure('log/known-error', {evidence: [event('a'), event('b')]})]}),
    {colour: false, width: 200},
  );
  expect(text).toContain(
    'Found     events of pod shop/web: failed to setup network for sandbox "aaaaaaaaaaaa…" (2 times)\n',
  );
  expect(text).not.toContain('bbbb');
});

test('a load balancer is named by its Service', async () => {
  const evidence = [
    {
      section: 'hnsPolicyLists',
      object: 'apps/web:80/tcp (8ebbeff0-7fd7-46f8-b13f-1b04a1af6421)',
      field: 'References',
      seen: ['6e421e34-5fd9-4b71-969d-b278a0ea5d88'],
    },
  ];
  const results = [failure('kube-proxy/dangling-load-balancer', {evidence})];
  const text = await reportView().text(report({...healthy, results}), {colour: false, width: 200});
  expect(text).toContain('Found     load balancer apps/web:80/tcp References: 6e421e34-5fd9-4b71-969d-b278a0ea5d88\n');
});

test('--by node shows everything per node', async () => {
  const text = reportView('node').text(fleet, {colour: false});
  expect(text.match(/Stale OVS bridge/g)).toHaveLength(3);
  await expect(text).toMatchFileSnapshot('golden/fleet-by-node.txt');
});

test('-o wide shows consequences, notes and undetermined checks in full', async () => {
  await expect(reportView().wide?.(whole, {colour: false})).toMatchFileSnapshot('golden/wide.txt');
});

test('the summary counts root causes, and what they explain', () => {
  expect(whole.summary).toMatchObject({errors: 3, warnings: 2, problems: 3, consequences: 2});
  expect(fleet.summary).toMatchObject({problems: 6, consequences: 3});
});

test('the short form has one line per problem, to paste into a ticket', async () => {
  await expect(reportView().short?.(whole, {colour: false})).toMatchFileSnapshot('golden/short.txt');
});

test('JSON and YAML are the same document', async () => {
  await expect(printDocument(whole, 'json')).toMatchFileSnapshot('golden/report.json');
  await expect(printDocument(whole, 'yaml')).toMatchFileSnapshot('golden/report.yaml');
});

test('names are those of the nodes with problems', () => {
  expect(reportView().name?.(whole)).toBe('node/win-1\n');
});

test('no escape sequence of a node reaches the terminal', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  expect(reportView().text(whole, {colour: false})).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});

test('the exit code is 0 for health, 1 for problems, 4 if a node was not inspected', () => {
  expect(doctorExitCode(report(healthy), {failOn: 'error', helper: true})).toBe(0);
  expect(doctorExitCode(report(healthy, broken), {failOn: 'error', helper: true})).toBe(1);
  expect(doctorExitCode(report(healthy, broken), {failOn: 'never', helper: true})).toBe(0);
  expect(doctorExitCode(whole, {failOn: 'error', helper: true})).toBe(4);
});

test('a warning counts only if requested', () => {
  const warned = {...healthy, results: [failure('net/mtu', {severity: 'warning'})]};
  expect(doctorExitCode(report(warned), {failOn: 'error', helper: true})).toBe(0);
  expect(doctorExitCode(report(warned), {failOn: 'warning', helper: true})).toBe(1);
});

test('a time is shown in seconds, and an error that names its object does not have the name twice', async () => {
  const evidence = [
    {section: 'files', object: 'C:\\k\\azure-vnet.json', field: 'LastWriteTime', seen: '2026-11-18T09:00:09.123Z'},
    {section: 'hnsNetworks', object: 'HNS', seen: 'HNS did not answer GET /networks within 30 s'},
  ];
  const text = await reportView().text(report({...healthy, results: [failure('hns/responds', {evidence})]}), {
    colour: false,
  });
  expect(text).toContain('C:\\k\\azure-vnet.json LastWriteTime: 2026-11-18T09:00:09Z\n');
  expect(text).toContain('              HNS did not answer GET /networks within 30 s\n');
});
