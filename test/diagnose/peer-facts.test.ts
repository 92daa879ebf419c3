import {describe, expect, test} from 'vitest';
import {allChecks, checkCluster, subjectOf} from '../../src/diagnose/engine.js';
import {forPeers} from '../../src/diagnose/peer-facts.js';
import {SharedParts} from '../../src/lib/shared-parts.js';
import type {NodeSubject} from '../../src/model/check.js';
import {NotRead} from '../../src/snapshot/not-read.js';
import {sectionNames} from '../../src/snapshot/section-names.js';
import {caseNames, scenario} from '../checks/support.js';

const shared = new SharedParts();
const kept = (subject: NodeSubject) => forPeers(subject, shared);

describe('the facts kept of a node for checks across nodes', () => {
  test.each(caseNames)('give the same results as the whole node: %s', name => {
    const snapshot = scenario(name).read();
    const subjects = [...snapshot.nodes.keys()].map(node => subjectOf(snapshot, node, 0));
    expect(checkCluster(snapshot.cluster, subjects.map(kept), allChecks)).toEqual(
      checkCluster(snapshot.cluster, subjects, allChecks),
    );
  });

  test('never report a section that was read as missing, or one that was not read as read', () => {
    const snapshot = scenario('01-antrea-healthy').without('vmSwitches').read();
    const [name = ''] = snapshot.nodes.keys();
    const subject = subjectOf(snapshot, name, 0);
    const {node} = kept(subject);
    expect(node.os).toEqual(subject.node.os);
    expect(() => node.hnsEndpoints).toThrow('hnsEndpoints');
    const wasRead = sectionNames.filter(section => subject.node[section] !== undefined);
    expect(wasRead).not.toContain('vmSwitches');
    expect(sectionNames.filter(section => isMissing(() => node[section]))).toEqual(
      sectionNames.filter(section => !wasRead.includes(section)),
    );
  });

  test('do not grow with the number of nodes that an overlay reaches', () => {
    const overlay = caseNames
      .map(name => scenario(name).read())
      .flatMap(snapshot => [...snapshot.nodes.keys()].map(name => kept(subjectOf(snapshot, name, 0))))
      .flatMap(({node}) => node.hnsNetworks ?? []);
    expect(overlay).not.toEqual([]);
    for (const network of overlay) expect(() => network.remoteRoutes).toThrow(NotRead);
  });

  test('are small', () => {
    const snapshot = scenario('01-antrea-healthy').read();
    const [name = ''] = snapshot.nodes.keys();
    const subject = subjectOf(snapshot, name, 0);
    const size = (node: object) => JSON.stringify(node).length;
    expect(size(kept(subject).node)).toBeLessThan(size(subject.node) / 3);
  });
});

function isMissing(read: () => unknown): boolean {
  try {
    return read() === undefined;
  } catch (error) {
    if (error instanceof NotRead) return false;
    throw error;
  }
}
