import {expect, test} from 'vitest';
import {DoctorChanges} from '../../src/diagnose/changes.js';
import {buildReport, type NodeReport} from '../../src/diagnose/report.js';
import type {Result} from '../../src/model/result.js';

const cni = {name: 'antrea', confidence: 'certain', evidence: []};
const result = (outcome: Result['outcome'], message = 'Bridge br-int is stale.', id = 'ovs/stale-bridge'): Result => ({
  ...{id, outcome, severity: 'error', title: '', message, evidence: [], docs: ''},
});
const node = (name: string, ...results: Result[]): NodeReport => ({name, cni, inspected: true, results});
const unread = (name: string): NodeReport => ({name, cni, inspected: false, error: 'no pod started.', results: []});
const report = (...nodes: NodeReport[]) => buildReport({generatedAt: new Date(0), clusterResults: [], nodes});

/** The changes of each round, as `change node`. */
function looks(...reports: ReturnType<typeof report>[]) {
  const changes = new DoctorChanges();
  return reports.map(one => changes.next(one).map(({change, node: at, check}) => [change, at, check].join(' ').trim()));
}

test('a problem is reported when it appears and when its check passes, and not in between', () => {
  const failing = report(node('win-1', result('fail')));
  expect(looks(failing, failing, report(node('win-1', result('pass'))), failing)).toEqual([
    ['found win-1 ovs/stale-bridge'],
    [],
    ['resolved win-1 ovs/stale-bridge'],
    ['found win-1 ovs/stale-bridge'],
  ]);
});

test('a problem that can no longer be determined is reported once as undetermined, and again when it is found', () => {
  const failing = report(node('win-1', result('fail')));
  const unknown = report(node('win-1', result('unknown')));
  expect(looks(failing, unknown, unknown, failing)).toEqual([
    ['found win-1 ovs/stale-bridge'],
    ['undetermined win-1 ovs/stale-bridge'],
    [],
    ['found win-1 ovs/stale-bridge'],
  ]);
  expect(looks(failing, report(unread('win-1')), failing).slice(1)).toEqual([
    ['uninspected win-1', 'undetermined win-1 ovs/stale-bridge'],
    ['inspected win-1', 'found win-1 ovs/stale-bridge'],
  ]);
});

test('a changed count or time in a message is not a change', () => {
  const counting = (times: number) => report(node('win-1', result('fail', `It restarted ${times} times.`)));
  expect(looks(counting(4), counting(5))).toEqual([['found win-1 ovs/stale-bridge'], []]);
});

test('added and removed nodes are reported, and the problems of a removed node with it', () => {
  const [one, two] = [node('win-1', result('fail')), node('win-2', result('fail'))];
  expect(looks(report(one), report(one, two), report(one)).slice(1)).toEqual([
    ['added win-2', 'found win-2 ovs/stale-bridge'],
    ['removed win-2'],
  ]);
});

test('one line per cause: its consequences are not reported separately', () => {
  const consequence = {...result('fail', 'No bridge.', 'cni/agent-pod'), causedBy: ['ovs/stale-bridge']};
  expect(looks(report(node('win-1', result('fail'), consequence)))).toEqual([['found win-1 ovs/stale-bridge']]);
});
