import {describe, expect, it} from 'vitest';
import {diagnose} from '../../src/diagnose/diagnose.js';
import {snapshotDocument} from '../../src/snapshot/document.js';
import {readSnapshot} from '../../src/snapshot/snapshot.js';
import {reference, referenceNames} from './healthy-references.js';

describe.each(referenceNames)('the healthy reference %s', name => {
  const snapshot = readSnapshot(snapshotDocument.parse(reference(name)));
  const names = [...snapshot.nodes.keys()];
  const {nodes, cluster, summary} = diagnose({snapshot, names, failures: new Map(), selection: {}, now: new Date(0)});
  const results = [...cluster.results, ...nodes.flatMap(node => node.results)];

  it('is recognised', () => {
    const [plugin = ''] = /^(aws-vpc|kube-ovn|win-bridge|win-overlay|ovn-kubernetes|[a-z]+)/.exec(name) ?? [];
    expect([...new Set(nodes.map(({cni}) => cni?.name))]).toEqual([plugin]);
    const variant = /vxlan|host-gw|bgp|hybrid-overlay|legacy/.exec(name)?.[0];
    if (variant) expect([...new Set(nodes.map(({cni}) => cni?.variant))]).toEqual([variant]);
    const version = /\d+\.\d+/.exec(name)?.[0];
    if (version)
      for (const {cni} of nodes) expect(cni?.version).toMatch(new RegExp(`^${version.replace('.', '\\.')}\\.`));
  });

  it('has no error and no warning, and is healthy', () => {
    expect(names.length).toBeGreaterThan(0);
    expect(results.filter(({outcome}) => outcome === 'fail').map(({id, message}) => `${id}: ${message}`)).toEqual([]);
    expect(summary).toMatchObject({healthy: names.length, incomplete: 0, errors: 0, warnings: 0});
  });

  it('has no check that is undetermined', () => {
    const unknown = results.filter(({outcome}) => outcome === 'unknown').map(({id, message}) => `${id}: ${message}`);
    expect(unknown).toEqual([]);
  });
});
