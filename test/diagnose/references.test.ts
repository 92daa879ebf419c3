import {describe, expect, it} from 'vitest';
import {diagnose} from '../../src/diagnose/diagnose.js';
import type {DoctorReport} from '../../src/diagnose/report.js';
import {snapshotDocument} from '../../src/snapshot/document.js';
import {readSnapshot} from '../../src/snapshot/snapshot.js';
import {reference, referenceNames} from './healthy-references.js';

describe.each(referenceNames)('the healthy reference %s', name => {
  const snapshot = readSnapshot(snapshotDocument.parse(reference(name)));
  const names = [...snapshot.nodes.keys()];
  const report = () => diagnose({snapshot, names, failures: new Map(), selection: {}, now: new Date(0)});
  const resultsOf = ({nodes, cluster}: DoctorReport) => [...cluster.results, ...nodes.flatMap(node => node.results)];

  it('is recognised', () => {
    const {nodes} = report();
    const [plugin = ''] = /^(aws-vpc|kube-ovn|win-bridge|win-overlay|ovn-kubernetes|[a-z]+)/.exec(name) ?? [];
    expect([...new Set(nodes.map(({cni}) => cni?.name))]).toEqual([plugin]);
    const variant = /vxlan|host-gw|bgp|hybrid-overlay|legacy/.exec(name)?.[0];
    if (variant) expect([...new Set(nodes.map(({cni}) => cni?.variant))]).toEqual([variant]);
    const version = /\d+\.\d+/.exec(name)?.[0];
    if (version)
      for (const {cni} of nodes) expect(cni?.version).toMatch(new RegExp(`^${version.replace('.', '\\.')}\\.`));
  });

  it('has no error, no warning and nothing undetermined, and is healthy', () => {
    expect(names.length).toBeGreaterThan(0);
    const found = report();
    expect(
      resultsOf(found)
        .filter(({outcome}) => outcome === 'fail')
        .map(({id, message}) => `${id}: ${message}`),
    ).toEqual([]);
    expect(found.summary).toMatchObject({healthy: names.length, incomplete: 0, errors: 0, warnings: 0});
    const unknown = resultsOf(found).filter(({outcome}) => outcome === 'unknown');
    expect(unknown.map(({id, message}) => `${id}: ${message}`)).toEqual([]);
  });
});
