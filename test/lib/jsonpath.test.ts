import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import {kubectl} from '../../scripts/kubectl.mjs';
import {printJsonPath} from '../../src/lib/jsonpath.js';

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {name: 'shop-1', labels: {'app.kubernetes.io/name': 'shop', tier: 'front'}},
  spec: {
    nodeName: 'win-1',
    hostNetwork: false,
    containers: [
      {name: 'web', image: 'shop:1', ports: [{containerPort: 80}, {containerPort: 443}]},
      {name: 'log', image: 'log:2', ports: [{containerPort: 9000}]},
      {name: 'pay', image: 'pay:3'},
    ],
  },
};

const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-jsonpath-'));
const file = join(folder, 'pod.json');
writeFileSync(file, JSON.stringify(pod));
afterAll(() => rmSync(folder, {recursive: true}));

/** The output of the real kubectl for the same object, without a cluster. */
function asKubectl(template: string): string {
  return execFileSync(
    kubectl(),
    ['label', '--local', '-f', file, 'tier=front', '--overwrite', '-o', `jsonpath=${template}`],
    {
      encoding: 'utf8',
      env: {...process.env, KUBECONFIG: join(folder, 'none')},
    },
  );
}

describe('as the real kubectl prints it', () => {
  test.each([
    '{.metadata.name}',
    '{ .metadata.name }',
    'name: {.metadata.name}{"\\n"}',
    "{.metadata.name}{'\\t'}{.spec.nodeName}",
    '{$.spec.nodeName}',
    '{.spec.hostNetwork}',
    '{.spec.containers[*].name}',
    '{.spec.containers[0].name}',
    '{.spec.containers[-1].name}',
    '{.spec.containers[0:2].name}',
    '{.spec.containers[1:].name}',
    '{.spec.containers[0:3:2].name}',
    '{.spec.containers[0,2].name}',
    "{.spec.containers[*]['name','image']}",
    '{.spec.containers[*].ports[*].containerPort}',
    '{..containerPort}',
    '{.metadata.labels.app\\.kubernetes\\.io/name}',
    "{.metadata.labels['app\\.kubernetes\\.io/name']}",
    '{.spec.containers[?(@.name=="log")].image}',
    '{.spec.containers[?(@.name!="log")].image}',
    '{.spec.containers[?(@.ports)].name}',
    '{.spec.containers[0].ports[?(@.containerPort>100)].containerPort}',
    '{.spec.containers[0].ports[?(@.containerPort<=80)].containerPort}',
    '{range .spec.containers[*]}{.name}={.image}{"\\n"}{end}',
    '{range .spec.containers[*]}{.name}:{range .ports[*]} {.containerPort}{end};{end}',
    '{.metadata.missing}',
    '{.spec.containers[*].missing}',
    '{.spec.containers[0].ports}',
    '{.spec.containers[0].ports[0]}',
    'no braces',
    '{"a}b"}',
  ])('%s', template => {
    expect(printJsonPath(template, pod)).toBe(asKubectl(template));
  });
});

test.each([
  ['{.metadata.name', /a brace is not closed/],
  ['{range .spec}{.x}', /{range} has no {end}/],
  ['{end}', /{end} has no {range}/],
  ['{.spec.containers[0}', /a bracket is not closed/],
  ['{.spec.containers[x]}', /\[x\] is not an index/],
  ['{.spec.containers[0:2:0]}', /is 0/],
])('rejects %s with a reason', (template, reason) => {
  expect(() => printJsonPath(template, pod)).toThrow(reason);
});

test('object keys are data: none reaches a prototype', () => {
  expect(printJsonPath('{.constructor}{.__proto__}', {})).toBe('');
});
