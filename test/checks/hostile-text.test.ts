import {describe, expect, test} from 'vitest';
import {nodeModelOf} from '../../src/snapshot/node.js';
import {readSnapshot} from '../../src/snapshot/snapshot.js';
import {diagnose, type Raw, scenario} from './support.js';

// A node can send any text. Each of these makes a careless pattern backtrack quadratically: with 128 KiB that takes
// minutes, so a test that completes shows that no pattern does.
const kibibytes = (text: string, count: number) => text.repeat(Math.ceil((count * 1024) / text.length));
const hostile = {
  'empty lines': '\n',
  'blank lines': ' \n',
  spaces: ' ',
  quotes: '"',
  'open settings': ' --network-name="',
  colons: ':',
  'words that a pattern waits after': 'port sandbox image pause hns linux/x ',
  'names without an end': 'a.',
  backslashes: '\\',
  comments: '#\n',
};

/** Appends text to all strings of a section. */
function lengthened(value: Raw, by: string): Raw {
  if (typeof value === 'string') return `${value}${by}`;
  if (Array.isArray(value)) return value.map(one => lengthened(one, by));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, lengthened(one, by)]));
}

describe.each(['01-antrea-healthy', '06-flannel-overlay-healthy'])('%s', name => {
  test.each(Object.entries(hostile))('a node whose files and logs end in %s is diagnosed', (_, text) => {
    const changed = scenario(name).node(({sections}) => {
      for (const section of ['files', 'logs']) sections[section] = lengthened(sections[section], kibibytes(text, 128));
      sections.containerd = null;
      sections.files.push({
        Path: 'C:\\Program Files\\containerd\\config.toml',
        Exists: true,
        Content: kibibytes(text, 128),
      });
    });
    expect(diagnose(readSnapshot(changed.document as Raw)).findings.length).toBeGreaterThan(0);
  });
});

test('a journal that is nested 100,000 times fails only its own section', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const node = nodeModelOf('win-1', {sections: {plans: [deep], dnsServers: []}, errors: {}});
  expect(node.plans?.flatMap(({journal}) => journal)).toEqual([]);
  expect(node.dnsServers).toEqual([]);
});
