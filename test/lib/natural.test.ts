import {expect, test} from 'vitest';
import {naturally} from '../../src/lib/natural-order.js';

test('names are in natural order', () => {
  const names = ['win-10', 'win-2', 'win-1', 'win-02', 'win', 'aks10a', 'aks9b', 'win-2a'];
  expect(names.sort(naturally)).toEqual(['aks9b', 'aks10a', 'win', 'win-1', 'win-02', 'win-2', 'win-2a', 'win-10']);
});
