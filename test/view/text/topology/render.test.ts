import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {printed} from '../../../../src/cli/answer.js';
import {checkedNode, subjectOf} from '../../../../src/diagnose/engine.js';
import {snapshotDocument} from '../../../../src/snapshot/document.js';
import {readSnapshot} from '../../../../src/snapshot/snapshot.js';
import {topologyView} from '../../../../src/view/text/topology/render.js';
import type {Format} from '../../../../src/view/view.js';
import {withoutOverride} from '../../../fixtures/crashing-agent.js';

const plainText = {colour: false};

function rendered(
  file: string,
  node: string,
  format: Format = 'text',
  change: (json: string) => string = json => json,
): Promise<string> {
  const json = change(readFileSync(new URL(`../../../fixtures/cases/${file}.json`, import.meta.url), 'utf8'));
  const subject = subjectOf(readSnapshot(snapshotDocument.parse(JSON.parse(json))), node, 0);
  return printed({result: checkedNode(subject), view: topologyView}, format, plainText);
}

test('a healthy OVS node is drawn from its adapter through switch, network, bridge and port to its pods', async () => {
  await expect(await rendered('01-antrea-healthy', 'winapp-01')).toMatchFileSnapshot('golden/antrea-healthy.txt');
});

test('after a reboot the missing network and the stale bridge are marked, with their checks', async () => {
  await expect(await rendered('02-antrea-after-reboot', 'win-blue')).toMatchFileSnapshot(
    'golden/antrea-after-reboot.txt',
  );
});

test('an overlay shows its VNI, the number of its remote endpoints, and its load balancers with their Services', async () => {
  await expect(await rendered('06-flannel-overlay-healthy', 'fl-win-a')).toMatchFileSnapshot(
    'golden/flannel-overlay.txt',
  );
});

test('a finding about the whole cluster that explains a problem here is shown below the drawing', async () => {
  const text = await rendered('01-antrea-healthy', 'winapp-01', 'text', withoutOverride);
  expect(text).toMatch(/^✗ cni\/api-server-override \(whole cluster\) {2}kubeAPIServerOverride is not set/m);
  const document = JSON.parse(await rendered('01-antrea-healthy', 'winapp-01', 'json', withoutOverride));
  expect(document.ofCluster).toMatchObject([{id: 'cni/api-server-override', severity: 'error'}]);
});

test('if HNS does not answer, the drawing says what was not read instead of showing nothing', async () => {
  const text = await rendered('14-hns-not-answering', nodeOf('14-hns-not-answering'));
  expect(text).toMatch(/^\? not read: hnsNetworks: /m);
  expect(text).not.toMatch(/HNS network: missing/);
});

test('nodes of other plugins are also drawn in every format', async () => {
  for (const file of [
    '03-antrea-ovs-extension-off',
    '04-kube-ovn-healthy',
    '09-calico-vxlan-healthy',
    '13-win-bridge-outbound-nat',
  ])
    for (const format of ['text', 'mermaid', 'dot', 'json', 'yaml'] as const)
      expect(await rendered(file, nodeOf(file), format)).toMatch(/HNS network|"kind": "network"|kind: network/);
});

test('-o mermaid and -o dot have the same parts, with the failed ones highlighted', async () => {
  const mermaid = await rendered('02-antrea-after-reboot', 'win-blue', 'mermaid');
  const dot = await rendered('02-antrea-after-reboot', 'win-blue', 'dot');
  expect(mermaid.match(/:::(error|warning)/g)?.length).toBe(dot.match(/penwidth=3/g)?.length);
  await expect(mermaid).toMatchFileSnapshot('golden/antrea-after-reboot.mmd');
  await expect(dot).toMatchFileSnapshot('golden/antrea-after-reboot.dot');
});

test('-o json is the whole drawing as data', async () => {
  const document = JSON.parse(await rendered('02-antrea-after-reboot', 'win-blue', 'json'));
  const network = document.parts.find((part: {missing: boolean}) => part.missing);
  expect(network).toMatchObject({
    kind: 'network',
    name: 'antrea-hnsnetwork',
    trouble: {severity: 'error', findings: expect.arrayContaining(['hns/network-present'])},
  });
  expect(document.services).toContainEqual(expect.objectContaining({name: 'ovs-vswitchd', trouble: 'error'}));
  expect(document.adapters[0]).toMatchObject({name: 'Ethernet0', mtu: '1500', addresses: '172.19.8.44/22'});
});

test('load balancers with missing endpoints are marked by the ID in the evidence, with its address', async () => {
  const gone = (json: string) => {
    const document = JSON.parse(json);
    const {sections} = document.nodes['fl-win-a'];
    const web = sections.hnsPolicyLists.find((list: object) => JSON.stringify(list).includes('10.104.150.241'));
    web.References = web.References.map(() => '/endpoints/00000000-0000-4000-8000-000000000001');
    return JSON.stringify(document);
  };
  const text = await rendered('06-flannel-overlay-healthy', 'fl-win-a', 'text', gone);
  expect(text).toMatch(/^! +apps\/web .* unknown/m);
  expect(text).not.toMatch(/^[!✗] +kube-system\/kube-dns/m);
});

test('a name from a node can neither move the cursor nor break out of a diagram', async () => {
  const hostile = (json: string) => json.replaceAll('antrea-tun0', 'a\\u001b[2Jb\\"];x[\\"<script>');
  const node = 'winapp-01';
  expect(await rendered('01-antrea-healthy', node, 'text', hostile)).not.toContain('\u001b');
  expect(await rendered('01-antrea-healthy', node, 'mermaid', hostile)).toContain('["ab#34;];x[#34;#60;script#62;<br>');
  expect(await rendered('01-antrea-healthy', node, 'dot', hostile)).toContain('"ab\\"];x[\\"<script>\\n');
});

function nodeOf(file: string): string {
  const document = JSON.parse(readFileSync(new URL(`../../../fixtures/cases/${file}.json`, import.meta.url), 'utf8'));
  return Object.keys(document.nodes)[0] ?? '';
}
