import {readdirSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {diagnose} from '../../../src/diagnose/diagnose.js';
import {AddressStandIns} from '../../../src/services/redact/address-stand-ins.js';
import {redactSnapshot} from '../../../src/services/redact/redact-file.js';
import {readSnapshotFile} from '../../../src/session/snapshot-file.js';
import type {SnapshotDocument} from '../../../src/snapshot/document.js';
import {readSnapshot, windowsNodesOf} from '../../../src/snapshot/snapshot.js';

const folder = fileURLToPath(new URL('../../fixtures/cases/', import.meta.url));
const cases = readdirSync(folder).filter(file => file.endsWith('.json') && !file.endsWith('.expect.json'));

/** IDs of findings by node; nodes have replacement names after a redaction, so only their order counts. */
function findings(document: SnapshotDocument): string[][] {
  const snapshot = readSnapshot(document);
  const names = windowsNodesOf(snapshot);
  const {nodes} = diagnose({
    snapshot,
    names,
    failures: new Map(),
    selection: {},
    now: new Date('2026-03-02T09:12:50Z'),
  });
  return nodes.map(({results}) =>
    results
      .filter(({outcome}) => outcome !== 'pass' && outcome !== 'skipped')
      .map(({id, outcome}) => `${id} ${outcome}`),
  );
}

const sorted = (lists: string[][]) => lists.map(list => list.sort().join('\n')).sort();

describe('doctor finds the same after addresses and names were replaced', () => {
  test.each(cases)('%s', async file => {
    const document = await readSnapshotFile(`${folder}${file}`);
    const {document: redacted, replaced} = redactSnapshot(document, ['ips', 'names']);
    expect(sorted(findings(redacted))).toEqual(sorted(findings(document)));
    expect(replaced.names).toBeGreaterThan(0);
    const text = JSON.stringify(redacted);
    const shown = (pattern: string) => new RegExp(pattern).test(text);
    expect(Object.keys(document.nodes).filter(name => shown(`\\b${name}\\b`))).toEqual([]);
    const addresses = new Set(JSON.stringify(document).match(/"10\.\d{1,3}\.\d{1,3}\.\d{1,3}"/g));
    expect([...addresses].filter(address => text.includes(address))).toEqual([]);
  });
});

describe('replacements of addresses', () => {
  const standIns = new AddressStandIns(Buffer.alloc(32, 7));

  test('an address stays in its subnet, and the first address of a block stays the first', () => {
    const [subnet = '', inside = '', outside = '', first = ''] = standIns
      .in('10.244.3.0/24 10.244.3.17 10.244.4.17 10.244.3.1')
      .split(' ');
    const block = subnet.replace('.0/24', '.');
    expect(inside.startsWith(block)).toBe(true);
    expect(outside.startsWith(block)).toBe(false);
    expect(first).toBe(`${block}1`);
    expect(subnet).not.toBe('10.244.3.0/24');
  });

  test('an address with a prefix length is an address, not a subnet', () => {
    expect(standIns.in('10.21.40.61/20')).toBe(`${standIns.in('10.21.40.61')}/20`);
  });

  test.each([
    '127.0.0.1',
    '0.0.0.0/0',
    '169.254.169.254',
    '255.255.255.0',
    '224.0.0.22',
    '10.0.20348.2966',
    '::1',
    'fe80::1',
    '12:30:45',
    '00:15:5d:58:57:fb',
    '2026-03-02T09:12:50Z',
  ])('%s stays as it is', text => expect(standIns.in(text)).toBe(text));

  test.each(['10.0.0.5', '192.168.0.1', '172.16.0.9', '8.8.8.8', '2001:db8:1:2::5'])('%s is replaced', text =>
    expect(standIns.in(text)).not.toBe(text),
  );
});
