import {expect, test} from 'vitest';
import {comparePeers} from '../../src/diagnose/peers.js';
import type {NodeReport} from '../../src/diagnose/report.js';
import type {Result} from '../../src/model/result.js';

const failing = (id: string): Result => ({
  id,
  outcome: 'fail',
  severity: 'error',
  title: id,
  message: `${id} is wrong.`,
  evidence: [],
  docs: '',
});

const node = (name: string, cni: string, ...ids: string[]): NodeReport => ({
  name,
  cni: {name: cni, confidence: 'certain', evidence: []},
  inspected: true,
  results: ids.map(failing),
});

test('a finding that all nodes of a plugin share is reported once for the cluster, as information', () => {
  const {shared} = comparePeers([node('a', 'antrea', 'x/y'), node('b', 'antrea', 'x/y', 'x/z'), node('c', 'calico')]);
  expect(shared.map(({id, outcome}) => [id, outcome])).toEqual([['x/y', 'info']]);
  expect(shared[0]?.message).toContain('All 2 antrea nodes');
});

test('each finding has the number of affected peers', () => {
  const {nodes} = comparePeers([
    node('a', 'antrea', 'x/y'),
    node('b', 'antrea'),
    node('c', 'antrea'),
    node('d', 'calico', 'x/y'),
  ]);
  expect(nodes[0]?.results[0]?.peers).toEqual({failing: 1, of: 3});
  expect(nodes[3]?.results[0]?.peers).toBeUndefined();
});

test('a node that was not inspected does not count as a peer', () => {
  const {shared} = comparePeers([node('a', 'antrea', 'x/y'), {...node('b', 'antrea', 'x/y'), inspected: false}]);
  expect(shared).toEqual([]);
});
