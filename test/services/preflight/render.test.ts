import {expect, test} from 'vitest';
import {diagnoseReadiness} from '../../../src/services/preflight/diagnose-readiness.js';
import {snapshotDocument} from '../../../src/snapshot/document.js';
import {readSnapshot} from '../../../src/snapshot/snapshot.js';
import {preflightView} from '../../../src/view/text/preflight.js';
import {printDocument} from '../../../src/view/text/print.js';
import {node} from './build.js';
import {readyFor} from './ready.js';
import {now, pluginNamed} from './support.js';

/** Three nodes: one is ready, one lacks several things, one could not be inspected. */
function fleet() {
  const scenario = readyFor('kube-ovn');
  const second = structuredClone(scenario.document.nodes['win-1']);
  if (!second) throw new Error('the snapshot has no win-1');
  scenario.document.nodes['win-2'] = second;
  scenario
    .addObject(
      node('win-2', '10.0.0.22', '10.244.2.0/24', {
        kernelVersion: '10.0.20348.2966',
        containerRuntimeVersion: 'containerd://1.7.23',
      }),
    )
    .addObject(
      node('win-3', '10.0.0.23', '10.244.3.0/24', {
        kernelVersion: '10.0.17763.6659',
        containerRuntimeVersion: 'docker://19.3.14',
      }),
    )
    .node(({sections, errors}) => {
      Object.assign(sections.os, {CSName: 'WIN-2', BuildNumber: '20348', UBR: 2966});
      sections.netIPAddresses[0].IPAddress = '10.0.0.22';
      sections.windowsFeatures[1].InstallState = 'Disabled';
      sections.bootOptions.TestSigning = false;
      sections.firewall.Profiles[0].Enabled = true;
      sections.netAdapters[0].Name = 'Ethernet\u001b[31m0';
      delete sections.hotfixes;
      delete sections.files;
      errors.files = {kind: 'Timeout', message: 'no answer within 10 s'};
    }, 'win-2');
  return diagnoseReadiness({
    snapshot: readSnapshot(snapshotDocument.parse(scenario.document)),
    names: ['win-1', 'win-2', 'win-3'],
    failures: new Map([['win-3', 'win-3 runs Docker, which has no HostProcess containers.']]),
    plugin: pluginNamed('kube-ovn'),
    context: 'prod',
    now,
  });
}

test('the text lists the requirements of each node, and the command below each unmet one', async () => {
  await expect(preflightView.text(fleet(), {colour: false})).toMatchFileSnapshot('golden/text.txt');
});

test('the text wraps to the terminal and is coloured there', async () => {
  await expect(preflightView.text(fleet(), {colour: true, width: 72})).toMatchFileSnapshot('golden/text-72-colour.txt');
});

test('verbose text also has what was found, and what does not apply', async () => {
  await expect(preflightView.text(fleet(), {colour: false, verbose: true})).toMatchFileSnapshot(
    'golden/text-verbose.txt',
  );
});

test('the short form has one line per unmet requirement', async () => {
  await expect(preflightView.short?.(fleet(), {colour: false})).toMatchFileSnapshot('golden/short.txt');
});

test('JSON and YAML are the same document', async () => {
  await expect(printDocument(fleet(), 'json')).toMatchFileSnapshot('golden/report.json');
  await expect(printDocument(fleet(), 'yaml')).toMatchFileSnapshot('golden/report.yaml');
});

test('the last line names the plugin and the number of nodes', () => {
  const lines = preflightView.text(fleet(), {colour: false}).trimEnd().split('\n');
  expect(lines.at(-1)).toBe('Ready for Kube-OVN: 1 of 3 nodes (1 not inspected)');
});

test('no escape sequence of a node reaches the terminal', () => {
  const text = preflightView.text(fleet(), {colour: false, verbose: true});
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});

test('on a narrow terminal the name of a requirement is below its title where both do not fit', () => {
  const text = preflightView.text(fleet(), {colour: false, width: 40});
  expect(text).toContain('  ✓ Node runs a licensed Windows Server\n    windows-server\n');
  expect(text).toContain('  ✓ Processor is x86_64     architecture\n');
});
