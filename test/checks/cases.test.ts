import {describe, expect, it} from 'vitest';
import {allChecks} from '../../src/diagnose/engine.js';
import {caseNames, demandWords, expectation, type Finding, scenario} from './support.js';

const shown = ({node, id, severity, message}: Finding) => `${node ?? 'cluster'}: ${id} (${severity}): ${message}`;

describe.each(caseNames)('%s', name => {
  const expected = expectation(name);
  const diagnosis = () => scenario(name).run();
  const failures = () => diagnosis().findings.filter(({outcome}) => outcome === 'fail');

  it(`is recognised as ${[expected.cni, expected.variant].filter(Boolean).join(' ')} on every node`, () => {
    const {detections} = diagnosis();
    const nodes = [...scenario(name).read().nodes.keys()];
    expect(nodes.length).toBeGreaterThan(0);
    const seen = [...detections].map(([node, {name: cni, variant}]) => ({
      node,
      cni,
      ...(expected.variant !== undefined && {variant}),
    }));
    expect(seen).toEqual(
      nodes.map(node => ({
        node,
        cni: expected.cni,
        ...(expected.variant !== undefined && {variant: expected.variant}),
      })),
    );
  });

  it(`finds the fault: ${expected.mustFail.join(', ') || 'none'}`, () => {
    const failed = new Set(failures().map(({id}) => id));
    expect(expected.mustFail.filter(id => !failed.has(id))).toEqual([]);
  });

  it('raises no false alarm', () => {
    expect(
      failures()
        .filter(({id}) => expected.mustNotFail.includes(id))
        .map(shown),
    ).toEqual([]);
  });

  it(`reports at most ${expected.maxErrors} errors`, () => {
    const errors = failures()
      .filter(({severity}) => severity === 'error')
      .map(shown);
    expect(errors.length, errors.join('\n')).toBeLessThanOrEqual(expected.maxErrors);
  });

  if (expected.mustFail.length === 0) {
    it('is healthy: no errors, no warnings', () => {
      expect(failures().map(shown)).toEqual([]);
    });
  }

  it('runs every check to completion, and every result is complete', () => {
    const {findings} = diagnosis();
    expect(new Set(findings.map(({id}) => id)).size).toBe(allChecks.length);
    for (const finding of findings) demandWords(finding);
  });
});
