import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {gzipSync} from 'node:zlib';
import {dump} from 'js-yaml';
import {describe, expect, it} from 'vitest';
import {scriptHash} from '../../src/helper/script.js';
import {scenario} from '../checks/support.js';
import fc from '../seeded.js';
import {samplePlan, type TargetName, targets} from './targets.js';

/** Inputs that broke a reader, or nearly did: `corpus/<target>/<description>`, replayed every time. */
const corpus = new URL('corpus/', import.meta.url);
const runs = Number(process.env.KUBECTL_WIN_FUZZ_RUNS ?? 150);

const lines = [
  {type: 'hello', protocol: 1, scriptHash, host: 'WIN-1'},
  {type: 'section', name: 'hnsNetworks', ms: 4, data: [{Name: 'x', ID: '1'}]},
  {type: 'end', ms: 5, lines: 2, sha256: '0'},
];
const snapshotText = JSON.stringify(scenario('01-antrea-healthy').document);
const kubeconfig = `apiVersion: v1
kind: Config
current-context: a
contexts: [{name: a, context: {cluster: a, user: a, namespace: x}}]
clusters: [{name: a, cluster: {server: "https://127.0.0.1:1", insecure-skip-tls-verify: true, proxy-url: "http://u:p@h:1"}}]
users: [{name: a, user: {token: t, exec: {apiVersion: client.authentication.k8s.io/v1, command: "true", args: [x]}}}]
`;

/** Valid inputs, which are then mutated. */
const seeds: Record<TargetName, readonly string[]> = {
  wire: [`${lines.map(line => JSON.stringify(line)).join('\n')}\n`],
  snapshot: [
    snapshotText.slice(0, 60_000),
    '{"apiVersion":"kubectl-win/v1","kind":"Snapshot","collectedAt":"x","nodes":{}}',
  ],
  bundle: ['snapshot.json'],
  ovsdb: [
    '{"Bridge":{"headings":["_uuid","name","ports"],"data":[[["uuid","a"],"br-int",["set",[["uuid","b"]]]]]},"Port":{"headings":["name"],"data":[["p"]]}}',
    '{"bridges":[{"bridge":"br-int","flows":["cookie=0x0, table=0, priority=0 actions=NORMAL"]}]}',
  ],
  kubeconfig: [kubeconfig],
  plan: [dump(samplePlan), JSON.stringify(samplePlan)],
  selector: ['a=b,c!=d,e in (f,g),h notin (i),j,!k', 'kubernetes.io/os=windows'],
  windowsPath: [
    'var\\lib\\cni\\networks\\antrea\\10.0.0.1',
    'openvswitch\\var\\run\\openvswitch\\ovs-vswitchd.pid',
    'k\\sourcevip.json',
  ],
};

const tokens = [
  '\u0000',
  '\u001b]52;c;',
  '..',
  '../',
  '..\\',
  ':',
  '::$DATA',
  '*',
  '{',
  '[',
  ']',
  '}',
  '"',
  '&a *a',
  '!!js',
  '<<: *a',
  '\n',
  '\t',
  '-1',
  '1e999',
  '__proto__',
  'constructor',
  'toString',
  '\ud800',
  '\u202e',
  'null',
  '~',
  '%',
  '(',
  ')',
  '!',
  ',',
];

/** A valid input with a few cuts, duplications and odd pieces. */
const broken = (name: TargetName): fc.Arbitrary<Buffer> =>
  fc
    .record({
      text: fc.constantFrom(...seeds[name]),
      edits: fc.array(
        fc.record({
          at: fc.double({min: 0, max: 1, noNaN: true}),
          cut: fc.nat(40),
          put: fc.oneof(fc.constantFrom(...tokens), fc.string({maxLength: 8}), fc.constant('')),
        }),
        {maxLength: 6},
      ),
    })
    .map(({text, edits}) => {
      let result = text;
      for (const {at, cut, put} of edits) {
        const from = Math.floor(at * result.length);
        result = result.slice(0, from) + put + result.slice(from + cut);
      }
      return Buffer.from(result);
    });

const bytes = fc.uint8Array({maxLength: 400}).map(array => Buffer.from(array));
const zipped = (input: fc.Arbitrary<Buffer>) => input.map(each => gzipSync(each));

describe.each(Object.keys(targets) as TargetName[])('%s', name => {
  const target = targets[name];

  it('accepts any input, or rejects it with a message', async () => {
    const input = fc.oneof(
      {weight: 5, arbitrary: broken(name)},
      {weight: 1, arbitrary: bytes},
      {weight: name === 'bundle' || name === 'snapshot' ? 2 : 0, arbitrary: zipped(bytes)},
    );
    await fc.assert(
      fc.asyncProperty(input, async each => void (await target(each))),
      {numRuns: runs},
    );
  });

  const folder = new URL(`${name}/`, corpus);
  const kept = existsSync(folder) ? readdirSync(folder) : [];
  it('has a corpus', () => expect(kept.length).toBeGreaterThan(0));
  it.each(kept)('accepts or rejects %s', async file => void (await target(readFileSync(new URL(file, folder)))));
});
