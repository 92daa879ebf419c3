import {expect, test} from 'vitest';
import {SharedResults} from '../../src/diagnose/shared-results.js';
import type {Result} from '../../src/model/result.js';

const result = (id: `${string}/${string}`, change: Partial<Result> = {}): Result => ({
  id,
  title: 'The network exists',
  outcome: 'pass',
  severity: 'info',
  message: '',
  docs: '',
  evidence: [],
  ...change,
});

test('nodes with equal results have one list; any difference gives another', () => {
  const shared = new SharedResults();
  const healthy = () => shared.all([result('hns/a'), result('hns/b')]);
  expect(healthy()).toBe(healthy());
  const failed = result('hns/b', {outcome: 'fail', severity: 'error', message: 'It is missing'});
  const other = shared.all([result('hns/a'), failed]);
  expect(other).toEqual([result('hns/a'), failed]);
  expect(other[0]).toBe(healthy()[0]);
  expect(shared.all([result('hns/a')])).toEqual([result('hns/a')]);
  expect(healthy()).toEqual([result('hns/a'), result('hns/b')]);
});

test('few lists are remembered', () => {
  const shared = new SharedResults();
  const list = (number: number) => shared.all([result(`hns/n${number}`)]);
  const first = list(0);
  for (let number = 1; number < 20; number++) list(number);
  expect(list(0)).not.toBe(first);
  expect(list(0)).toEqual(first);
});
