import type {V1Container, V1Node} from '@kubernetes/client-node';
import {describe, expect, it} from 'vitest';
import {chooseImage, fixedImage} from '../../src/helper/image.js';
import {helperDaemonSet, helperPod} from '../../src/helper/manifests.js';
import {plugins} from '../../src/plugins/all.js';

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const base = 'mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image';
const pluginImages = plugins.flatMap(({footprint}) => footprint.images);
const nodeWith = (...images: [string[], number][]): V1Node =>
  ({metadata: {name: 'win-1'}, status: {images: images.map(([names, sizeBytes]) => ({names, sizeBytes}))}}) as V1Node;

describe('--helper-image=auto', () => {
  it.each([
    [
      'the base image, by its digest',
      nodeWith([['shop/app:1'], 1], [[`${base}@${digest('a')}`, `${base}:v1.0.0`], 2]),
      `${base}@${digest('a')}`,
    ],
    [
      'an image of the plugin, which containerd names with its registry',
      nodeWith([['shop/app:1'], 1], [[`docker.io/antrea/antrea-windows@${digest('b')}`], 900]),
      `docker.io/antrea/antrea-windows@${digest('b')}`,
    ],
    [
      'an image of the plugin whose name leaves out the registry',
      nodeWith([[`sigwindowstools/flannel@${digest('c')}`], 900]),
      `sigwindowstools/flannel@${digest('c')}`,
    ],
    [
      'the pause image of Kubernetes, before that of a tenant',
      nodeWith([[`docker.io/evil/pause@${digest('d')}`], 1], [[`registry.k8s.io/pause@${digest('e')}`], 9]),
      `registry.k8s.io/pause@${digest('e')}`,
    ],
  ])('uses %s', (_, node, image) => {
    expect(chooseImage(node, 'auto', pluginImages)).toBe(image);
  });

  it.each([
    ['the name of the base image in another registry', `evil.example/oss/kubernetes/${base.split('/').at(-1)}`],
    ['the whole name of the base image below another registry', `evil.example/${base}`],
    ['a longer name', `${base}-2`],
    ['the name of a plugin in another registry', 'evil.example/antrea/antrea-windows'],
    ['the name of a plugin of another publisher', 'evil/antrea-windows'],
    ['a host that only looks like the registry', 'mcr.microsoft.com.evil.example/oss/kubernetes/pause'],
    ['the registry as a folder', `docker.io/mcr.microsoft.com/oss/kubernetes/pause`],
    ['a name that says hostprocess', 'evil.example/hostprocess'],
    ['the smallest image there is', 'evil.example/small'],
  ])('never uses %s', (_, repository) => {
    const node = nodeWith([[`${repository}@${digest('f')}`, `${repository}:v1.0.0`], 1]);
    expect(() => chooseImage(node, 'auto', pluginImages)).toThrow(
      'win-1 has no image that --helper-image=auto may use',
    );
  });

  it.each([
    ['without a digest', [`${base}:v1.0.0`]],
    ['with half a digest', [`${base}@sha256:abc`]],
    ['with text after the digest', [`${base}@${digest('a')} evil`]],
    ['without a name', ['<none>@<none>', '<none>:<none>']],
  ])('never uses an image %s', (_, names) => {
    expect(() => chooseImage(nodeWith([names, 1]), 'auto', pluginImages)).toThrow('has no image');
  });

  it('terminates with names of any length', () => {
    const names = [`${'a/'.repeat(200_000)}!`, `${'a:'.repeat(200_000)}@sha256:`];
    expect(() => chooseImage(nodeWith([names, 1]), 'auto', pluginImages)).toThrow('has no image');
  });

  it('is not needed if an image is named', () => {
    expect(chooseImage(nodeWith(), 'mine:1')).toBe('mine:1');
  });

  it('is rejected if one image is for all nodes', () => {
    expect(() => fixedImage('auto')).toThrow('an installed helper has one image for all');
  });
});

describe('what an image contains', () => {
  const identity = {namespace: 'kubectl-win', owner: 'me', configMap: 'scripts'};
  const pod = helperPod({...identity, name: 'helper', node: 'win-1', lifetimeSeconds: 60}).spec?.containers[0];
  const installed = helperDaemonSet(identity).spec?.template.spec?.containers[0];

  it.each([
    ['a helper pod', pod],
    ['an installed helper', installed],
  ])('does not affect the process of %s', (_, container: V1Container | undefined) => {
    const set = new Map(container?.env?.map(({name, value}) => [name.toUpperCase(), value]));
    // Where programs, modules, .NET code and the helper's own folder are searched.
    for (const name of [
      'PATH',
      'PATHEXT',
      'COMSPEC',
      'SYSTEMROOT',
      'SYSTEMDRIVE',
      'WINDIR',
      'PROGRAMDATA',
      'PSMODULEPATH',
    ])
      expect(set.get(name), name).toMatch(/^C:|^\.COM/);
    for (const name of ['TEMP', 'TMP']) expect(set.get(name), name).toBe('C:\\Windows\\Temp');
    expect(set.get('COR_ENABLE_PROFILING')).toBe('0');
    expect(set.get('APPDOMAIN_MANAGER_ASM')).toBe('');
    expect(container?.workingDir).toBe('C:\\Windows\\System32');
    expect(container?.command?.[0]).toBe('C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe');
  });

  it('is the same for both kinds of helper', () => {
    expect(installed?.env).toEqual(pod?.env);
  });
});
