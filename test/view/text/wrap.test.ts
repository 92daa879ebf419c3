import {expect, test} from 'vitest';
import {wrap} from '../../../src/view/text/wrap.js';

test('text is wrapped by columns: wide characters take two, colours none', () => {
  const options = {indent: 0, hang: 0, width: 9};
  expect(wrap('网络 适配器 x', options)).toEqual(['网络', '适配器 x']);
  expect(wrap('\u001b[31mred\u001b[39m \u001b[31mtext\u001b[39m', options)).toHaveLength(1);
});

test('on a screen a long word is broken where it has a separator, and what follows continues its last line', () => {
  const options = {indent: 0, hang: 2, width: 30, breaksWords: true};
  expect(wrap('at C:/openvswitch/var/run/openvswitch/db.sock: connected', options)).toEqual([
    'at C:/openvswitch/var/run/',
    '  openvswitch/db.sock:',
    '  connected',
  ]);
  expect(wrap('file C:/openvswitch/var/log/openvswitch/a.log is open', options)).toEqual([
    'file C:/openvswitch/var/log/',
    '  openvswitch/a.log is open',
  ]);
  expect(wrap(`${'x'.repeat(40)} y`, options)).toEqual(['x'.repeat(28), `  ${'x'.repeat(12)} y`]);
  expect(wrap('网'.repeat(3), {indent: 0, hang: 0, width: 1, breaksWords: true})).toEqual(['网', '网', '网']);
});

test('elsewhere a long word stays whole, to be copied', () => {
  expect(wrap(`a ${'x'.repeat(40)} b`, {indent: 0, hang: 2, width: 30})).toEqual(['a', `  ${'x'.repeat(40)}`, '  b']);
});
