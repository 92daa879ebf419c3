import {expect, test} from 'vitest';
import {keptAnnotations, keptData} from '../../src/snapshot/kept-text.js';

test.each(['constructor', 'valueOf', '__proto__'])('an object of kind %s keeps no annotation', kind => {
  expect(keptAnnotations(kind, {'kubectl-win/repair': 'x'})).toEqual({});
});

test('data named like a property of every object is omitted', () => {
  expect(keptData({toString: 'secret', constructor: 'secret', 'config.conf': 'a: 1\nclusterCIDR: 10.0.0.0/8'})).toEqual(
    {
      'config.conf': 'clusterCIDR: 10.0.0.0/8',
    },
  );
});
