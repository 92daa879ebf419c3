import {readFileSync} from 'node:fs';
import {expect, it} from 'vitest';
import {plugins} from '../../../src/plugins/all.js';

it('lists every plugin with prerequisites in the help of the command', () => {
  const command = readFileSync(new URL('../../../src/commands/preflight.ts', import.meta.url), 'utf8');
  const listed = /Plugins: ([^.]*)\./.exec(command)?.[1]?.split(', ');
  expect(listed).toEqual(plugins.filter(({preflight}) => preflight).map(({name}) => name));
});
