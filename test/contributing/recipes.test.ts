import {readFileSync} from 'node:fs';
import {describe, expect, it} from 'vitest';
import {detect} from '../../src/diagnose/detect.js';
import {checkNode} from '../../src/diagnose/engine.js';
import type {Check, NodeSubject} from '../../src/model/check.js';
import {unreadNode} from '../../src/snapshot/node.js';
import {disabledAdapterChecks} from './disabled-adapter.js';
import {example} from './example-plugin.js';

// The samples of CONTRIBUTING.md are files here, so the compiler and these tests keep them correct.

const root = new URL('../../', import.meta.url);
const guide = readFileSync(new URL('CONTRIBUTING.md', root), 'utf8');

/** A sample as it is in src, where import paths are shorter. */
const sample = (file: string) =>
  readFileSync(new URL(`test/contributing/${file}`, root), 'utf8')
    .replaceAll("'../../src/plugins/shared/", "'../shared/")
    .replaceAll("'../../src/", "'../../");

const codeIn = (text: string) => [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code);

describe('CONTRIBUTING.md', () => {
  it.each(['disabled-adapter.ts', 'example-plugin.ts'])('contains the sample %s as it compiles', file => {
    expect(codeIn(guide).map(withSortedImports)).toContain(withSortedImports(sample(file)));
  });
});

/** The order of imports depends on the length of their paths. */
function withSortedImports(code = ''): string {
  const lines = code.trim().split('\n');
  const isImport = (line: string) => line.startsWith('import ');
  return [...lines.filter(isImport).sort(), ...lines.filter(line => !isImport(line))].join('\n');
}

describe('the sample of a check', () => {
  const subjectWith = (status: string): NodeSubject => {
    const node = {
      ...unreadNode('win-1'),
      netAdapters: [{name: 'Ethernet 2', status, hardware: true}],
    } as unknown as NodeSubject['node'];
    return {
      node,
      object: undefined,
      cluster: undefined,
      plugin: detect({cluster: undefined, object: undefined, node}),
      now: 0,
    };
  };
  const outcomes = (subject: NodeSubject, checks: readonly Check[] = disabledAdapterChecks) =>
    checkNode(subject, checks).map(({outcome}) => outcome);

  it('finds a disabled adapter, and nothing if it is up', () => {
    expect(outcomes(subjectWith('Disabled'))).toEqual(['fail']);
    expect(outcomes(subjectWith('Up'))).toEqual(['pass']);
  });

  it('is unknown if adapters were not read', () => {
    const {netAdapters: _, ...node} = subjectWith('Up').node;
    expect(outcomes({...subjectWith('Up'), node})).toEqual(['unknown']);
  });
});

describe('the sample of a plugin', () => {
  it('recognises its CNI configuration', () => {
    const path = 'C:\\etc\\cni\\net.d\\10-example.conf';
    const content = '{"name":"example-net","type":"example-cni"}';
    const node = {...unreadNode('win-1'), files: [{path, exists: true, content}]} as unknown as NodeSubject['node'];
    const sight = {cluster: undefined, object: undefined, node};
    expect(example.recognise(sight)).toEqual({
      meant: [],
      found: [`CNI configuration ${path}`],
    });
    expect(example.recognise({...sight, node: unreadNode('win-1')})).toBeUndefined();
  });
});
