import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {afterAll, beforeAll, expect, it} from 'vitest';
import {kubectl as kubectlPath} from '../../scripts/kubectl.mjs';
import {encodeRequest} from '../../src/helper/wire.js';
import {type Cluster, cluster, collect, pod} from './support.js';

let lab: Cluster;
let folder: string;

beforeAll(async () => {
  lab = await cluster('antrea-reboot', {controllers: true});
  folder = mkdtempSync(join(tmpdir(), 'kubectl-win-sim-'));
  writeFileSync(join(folder, 'config'), lab.simulation.kubeconfig);
});
afterAll(async () => {
  await lab[Symbol.asyncDispose]();
  rmSync(folder, {recursive: true, force: true});
});

function start(args: readonly string[], input = ''): ChildProcess {
  const env = {...process.env, KUBECONFIG: join(folder, 'config'), HOME: folder};
  const child = spawn(kubectlPath(), args, {env, stdio: 'pipe'});
  child.stdin?.end(input);
  return child;
}

async function kubectl(args: string, input = ''): Promise<{code: number; stdout: string; stderr: string}> {
  const child = start(args.split(' '), input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout as NodeJS.ReadableStream),
    text(child.stderr as NodeJS.ReadableStream),
    once(child, 'close'),
  ]);
  return {code, stdout, stderr};
}

it('shows nodes and pods like a real cluster', async () => {
  const nodes = await kubectl('get nodes -o wide');
  expect(nodes.stderr).toBe('');
  const [head, ...lines] = nodes.stdout.trim().split('\n');
  expect(head?.split(/\s{2,}|\s(?=STATUS)/)).toEqual(
    'NAME STATUS ROLES AGE VERSION INTERNAL-IP EXTERNAL-IP OS-IMAGE KERNEL-VERSION CONTAINER-RUNTIME'.split(' '),
  );
  expect(lines).toHaveLength(3);
  expect(lines[1]).toMatch(
    /^win-1 +Ready +<none> +118d +v1.31.4 +10.21.40.61 +<none> +Windows Server 2022 Datacenter +10.0.20348.2966 +containerd:\/\/1.7.23 *$/,
  );
  const pods = (await kubectl('get pods -A')).stdout;
  expect(pods).toMatch(/^NAMESPACE +NAME +READY +STATUS +RESTARTS +AGE/);
  expect(pods).toMatch(/kube-system +antrea-agent-windows-\w+ +0\/1 +Running +2 \(\d+m ago\)/);
  expect(pods).toMatch(/shop +storefront-\S+ +0\/1 +ContainerCreating/);
});

it('describes a node with its pods, lease and conditions', async () => {
  const {stdout, stderr} = await kubectl('describe node win-1');
  expect(stderr).toBe('');
  expect(stdout).toMatch(/HolderIdentity: +win-1/);
  expect(stdout).toMatch(/Ready +True/);
  expect(stdout).toMatch(/kube-system +antrea-agent-windows-/);
});

it('annotates, labels and cordons nodes, and records the field manager', async () => {
  expect((await kubectl('annotate node win-2 example.com/a=b')).stdout).toBe('node/win-2 annotated\n');
  expect((await kubectl('annotate node win-2 example.com/a=c')).stderr).toContain('--overwrite');
  expect((await kubectl('label node win-2 zone=x')).stdout).toBe('node/win-2 labeled\n');
  expect((await kubectl('cordon win-2')).stdout).toBe('node/win-2 cordoned\n');
  expect((await kubectl('get node win-2')).stdout).toContain('Ready,SchedulingDisabled');
  await kubectl('uncordon win-2');
  const {stdout} = await kubectl('get node win-2 -o yaml --show-managed-fields');
  expect(stdout).toContain('manager: kubectl-annotate');
});

it('finds CNI objects: custom resources, config maps, short names', async () => {
  expect((await kubectl('get antreaagentinfos -o name')).stdout).toContain('antreaagentinfo.crd.antrea.io/win-1');
  expect((await kubectl('get crd -o name')).stdout).toContain('antreaagentinfos.crd.antrea.io');
  expect((await kubectl('get cm,ds -n kube-system')).stdout).toMatch(/antrea-windows-config +2 +118d/);
  const resources = await kubectl('api-resources -o name');
  expect(resources.stdout.split('\n')).toEqual(
    expect.arrayContaining(['pods', 'daemonsets.apps', 'leases.coordination.k8s.io']),
  );
});

it('knows the rights of the user', async () => {
  expect((await kubectl('auth can-i create pods --subresource=exec -n shop')).stdout).toBe('yes\n');
  expect((await kubectl('auth can-i list nodes --as eve')).stdout).toBe('no\n');
  expect((await kubectl('auth whoami')).stdout).toMatch(/Username +demo/);
  expect((await kubectl('get nodes --as eve')).stderr).toContain(
    'Error from server (Forbidden): nodes is forbidden: User "eve" cannot list resource "nodes" in API group "" at the cluster scope',
  );
});

it('creates, execs into, waits for and deletes pods', async () => {
  const name = await lab.helperPod('win-2');
  expect((await kubectl(`exec -n lab ${name} -- cmd /c ver`)).stdout).toContain(
    'Microsoft Windows [Version 10.0.20348',
  );
  expect(await kubectl(`exec -n lab ${name} -- cmd /c exit 3`)).toMatchObject({code: 3});
  expect((await kubectl(`exec -n lab ${name} -- nmap`)).stderr).toContain('executable file not found');
  const request = encodeRequest({...collect(['os', 'hnsNetworks'])} as never);
  const path = '$env:CONTAINER_SANDBOX_MOUNT_POINT/kubectl-win/helper.ps1';
  const answer = await kubectl(`exec -i -n lab ${name} -- powershell.exe -File ${path}`, request);
  const lines = answer.stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
  expect(lines.map(({type}) => type)).toEqual(['hello', 'section', 'section', 'end']);
  expect((await kubectl(`wait pod/${name} -n lab --for=condition=Ready --timeout=5s`)).code).toBe(0);
  expect((await kubectl(`delete pod ${name} -n lab`)).stdout).toContain(`pod "${name}" deleted`);
  expect((await kubectl(`get pod ${name} -n lab`)).stderr).toBe(
    `Error from server (NotFound): pods "${name}" not found\n`,
  );
});

it('warns of unknown fields, or rejects them', async () => {
  const manifest = JSON.stringify(pod('odd', 'win-2', {foo: 1}));
  const strict = await kubectl('create -f -', manifest);
  expect(strict.stderr).toContain('strict decoding error: unknown field "spec.foo"');
  const warned = await kubectl('create --validate=warn -f -', manifest);
  expect(warned.stderr).toBe('Warning: unknown field "spec.foo"\n');
  expect(warned.stdout).toBe('pod/odd created\n');
  const broken = await kubectl('create -f -', JSON.stringify(pod('bad', 'win-2', {hostNetwork: false})));
  expect(broken.stderr).toContain('hostNetwork must be true if pod contains any hostProcess containers');
});

it('applies a manifest client-side and server-side, and shows no difference afterwards', async () => {
  const manifest = (value: string) =>
    JSON.stringify({apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'c', namespace: 'lab'}, data: {a: value}});
  expect((await kubectl('apply -f -', manifest('1'))).stdout).toBe('configmap/c created\n');
  expect((await kubectl('apply -f -', manifest('2'))).stdout).toBe('configmap/c configured\n');
  expect((await kubectl('apply -f -', manifest('2'))).stdout).toBe('configmap/c unchanged\n');
  expect(await kubectl('diff -f -', manifest('2'))).toMatchObject({code: 0, stdout: ''});
  const side = await kubectl('apply --server-side --force-conflicts -f -', manifest('3'));
  expect(side.stdout).toBe('configmap/c serverside-applied\n');
});

it('watches', async () => {
  const child = start('get pods -n lab --watch -o name --watch-only'.split(' '));
  let seen = '';
  const done = (async () => {
    for await (const chunk of child.stdout as NodeJS.ReadableStream) {
      seen += String(chunk);
      if (seen.includes('pod/watched')) break;
    }
  })();
  // A watch does not signal its start, so pods are created until it shows one.
  let number = 0;
  const maker = setInterval(() => void lab.createPod(pod(`watched-${number++}`, 'win-2')).catch(() => {}), 100);
  await done;
  clearInterval(maker);
  child.kill();
  expect(seen).toMatch(/pod\/watched-\d+/);
});

it('drains a node and restarts a DaemonSet', async () => {
  const drained = await kubectl('drain win-2 --ignore-daemonsets --force --timeout=20s');
  expect(drained.stdout).toContain('node/win-2 drained');
  await kubectl('uncordon win-2');
  expect((await kubectl('rollout restart ds/kube-proxy -n kube-system')).code).toBe(0);
  const status = await kubectl('rollout status ds/kube-proxy -n kube-system --timeout=20s');
  expect(status.stdout).toContain('successfully rolled out');
});
