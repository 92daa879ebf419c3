import {describe, expect, it} from 'vitest';
import {withoutBooleanValues} from '../../src/cli/booleans.js';
import {win} from '../e2e/support.js';

describe('boolean flags with a value, as in kubectl', () => {
  const flags = {yes: {type: 'boolean'}, output: {type: 'option'}};
  it.each([
    [['--yes=true'], ['--yes']],
    [
      ['--yes=TRUE', 'win-1'],
      ['--yes', 'win-1'],
    ],
    [['--yes=false', 'win-1'], ['win-1']],
    [['--output=true'], ['--output=true']],
    [['--yes=maybe'], ['--yes=maybe']],
    [
      ['--', '--yes=true'],
      ['--', '--yes=true'],
    ],
  ])('%j is read as %j', (argv, expected) => {
    expect(withoutBooleanValues(argv, flags)).toEqual(expected);
  });

  it('reach commands', async () => {
    const {code, stdout} = await win(['version', '--client=true']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^kubectl win /)]);
  });
});
