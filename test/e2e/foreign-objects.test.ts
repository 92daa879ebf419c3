import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {type Cluster, startCluster} from './support.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster('flannel-overlay');
});
afterAll(() => cluster.close());

const named = (kind: string, apiVersion: string, name: string, rest: object) => ({
  ...{apiVersion, kind},
  metadata: {name, namespace: 'team-flannel'},
  ...rest,
});

const daemonSet = (name: string, image: string) =>
  named('DaemonSet', 'apps/v1', name, {
    spec: {
      selector: {matchLabels: {app: name}},
      template: {
        metadata: {labels: {app: name}},
        spec: {nodeSelector: {'kubernetes.io/os': 'windows'}, containers: [{name: 'agent', image}]},
      },
    },
  });

/** Objects of a user of one namespace, with the names of plugin objects. */
const objects = [
  {apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'team-flannel'}},
  daemonSet('antrea-agent-windows', 'antrea/antrea-windows:v0.1.0'),
  daemonSet('kube-flannel-ds-windows-amd64', 'flannel/flannel:v0.0.1-windows'),
  named('ConfigMap', 'v1', 'antrea-windows-config', {data: {'antrea-agent.conf': "kubeAPIServerOverride: ''\n"}}),
  named('ConfigMap', 'v1', 'kube-flannel-cfg', {
    data: {'net-conf.json': '{"Network":"10.99.0.0/16","Backend":{"Type":"vxlan","VNI":1,"Port":8472}}'},
  }),
];

test('objects of another namespace with the names of a plugin cause no finding and no other plugin', async () => {
  const before = await cluster.win('doctor');
  expect(before.code).toBe(0);
  const file = join(cluster.folder, 'objects.json');
  writeFileSync(file, JSON.stringify({apiVersion: 'v1', kind: 'List', items: objects}));
  expect(await cluster.kubectl('create', '--validate=false', '-f', file)).toMatchObject({code: 0, stderr: ''});
  const {code, stdout} = await cluster.win('doctor');
  // A check of the cluster may apply to one of these objects, and pass.
  const uncounted = (text: string) => text.replace(/^✓ \d+ passed/m, '✓ passed');
  expect([code, uncounted(stdout)]).toEqual([0, uncounted(before.stdout)]);
});
