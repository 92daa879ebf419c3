import {expect, test} from 'vitest';
import type {TunnelStatus} from '../../../src/services/tunnel/tunnel-status.js';
import {tunnelView} from '../../../src/view/text/tunnel.js';

const unused = (node: string) =>
  ({
    node,
    addresses: [],
    verdict: 'unused',
    reasons: ['Antrea has no tunnel annotation.', 'It is not set.'],
  }) as unknown as TunnelStatus;

test('nodes of a plugin without the annotation share one note below the table', () => {
  const text = tunnelView.text({kind: 'shown', nodes: [unused('win-1'), unused('win-2')]}, {colour: false});
  expect(text).toMatch(/^win-1 .* -$/m);
  expect(text).toMatch(/\n\nwin-1, win-2: Antrea has no tunnel annotation\. It is not set\.\n$/);
  expect(text.match(/Antrea has/g)).toHaveLength(1);
});
