import {expect, test} from 'vitest';
import {wrap} from '../../../src/view/text/wrap.js';

test('text is broken by the columns it takes: wide characters take two, colours none', () => {
  const options = {indent: 0, hang: 0, width: 9};
  expect(wrap('网络 适配器 x', options)).toEqual(['网络', '适配器 x']);
  expect(wrap('\u001b[31mred\u001b[39m \u001b[31mtext\u001b[39m', options)).toHaveLength(1);
});
