import {expect, test} from 'vitest';
import {addedTo} from '../../../src/services/logs/logs.js';
import {componentOf, mergeLogs} from '../../../src/services/logs/merge.js';

const log = (path: string, tail: string) => ({
  path,
  tail,
  length: tail.length,
  writtenAt: Date.parse('2026-03-02T09:20:00Z'),
  error: undefined,
});

const logs = [
  log('C:\\k\\kubelet.log', 'I0302 09:12:01.000000 1 a.go:1] one\nI0302 09:12:05.000000 1 a.go:1] four\n'),
  log(
    'C:\\ovs\\ovs-vswitchd.log',
    '2026-03-02T09:12:02.000Z|1|two\n  goes on\n2026-03-02T09:12:04.000Z|2|three 0x57\n',
  ),
  log('C:\\containerd\\containerd.log', 'time="2026-03-02T09:12:06Z" level=info msg=five\n'),
];
const meaningOf = (text: string) => (text.includes('0x57') ? 'the NIC is not free' : undefined);

test('lines of all logs are ordered by time, and a line without a time follows its own log', () => {
  expect(mergeLogs(logs, {meaningOf}).map(({text}) => text)).toEqual([
    expect.stringContaining('one'),
    expect.stringContaining('two'),
    '  goes on',
    expect.stringContaining('three'),
    expect.stringContaining('four'),
    expect.stringContaining('five'),
  ]);
});

test('times without a zone are local times of the node', () => {
  const here = [
    log('C:\\k\\kubelet.log', 'I0302 11:12:01.000000 1 a.go:1] one\n'),
    log('C:\\ovs\\ovs-vswitchd.log', '2026-03-02T09:12:02.000Z|1|two\n'),
    log('C:\\pods\\0.log', '2026-03-02T04:12:03.123456789-05:00 stderr F three\n'),
  ];
  const lines = mergeLogs(here, {meaningOf, utcOffset: 2 * 3_600_000, since: Date.parse('2026-03-02T09:12:00Z')});
  expect(lines.map(({at = 0}) => new Date(at).toISOString())).toEqual([
    '2026-03-02T09:12:01.000Z',
    '2026-03-02T09:12:02.000Z',
    '2026-03-02T09:12:03.000Z',
  ]);
  expect(mergeLogs(here, {meaningOf, utcOffset: 2 * 3_600_000, since: Date.parse('2026-03-02T10:00:00Z')})).toEqual([]);
});

test('a known error has its meaning, and other lines have none', () => {
  const told = mergeLogs(logs, {meaningOf}).filter(({means}) => means !== undefined);
  expect(told).toMatchObject([{component: 'ovs-vswitchd', means: 'the NIC is not free'}]);
});

test('only the requested lines are shown', () => {
  const since = Date.parse('2026-03-02T09:12:03Z');
  expect(mergeLogs(logs, {since, components: ['OVS'], meaningOf}).map(({text}) => text)).toEqual([
    expect.stringContaining('three'),
  ]);
});

test.each([
  ['C:\\var\\log\\antrea\\antrea-agent.WIN-1.WIN-1$.log.INFO.20260302-091250.1234', 'antrea-agent'],
  ['C:\\k\\kubelet.err.log', 'kubelet'],
  ['C:\\openvswitch\\var\\log\\openvswitch\\ovs-vswitchd.log', 'ovs-vswitchd'],
  ['/var/log/flanneld.log', 'flanneld'],
])('%s is a log of %s', (path, component) => expect(componentOf(path)).toBe(component));

test.each([
  ['a\nb\n', 'a\nb\nc\n', 'c\n'],
  [`${'x'.repeat(300)}\nb\n`, `${'x'.repeat(250)}\nb\nc\n`, 'c\n'],
  ['', 'a\n', 'a\n'],
  ['a\n', 'a\n', ''],
  ['old\n', 'all is new\n', 'all is new\n'],
])('after %j a log that ends with %j has added %j', (before, now, added) => {
  expect(addedTo(before, now)).toBe(added);
});
