import {readFileSync} from 'node:fs';
import {describe, expect, it} from 'vitest';
import type {Footprint} from '../../src/model/footprint.js';
import {plugins} from '../../src/plugins/all.js';

// The helper has its own lists of what to read and what a plan may remove. They must match those of the plugins, and
// what every Windows node has regardless of its plugin, which these tests list.

const helper = (path: string) => readFileSync(new URL(`../../helper/${path}`, import.meta.url), 'utf8');

/** The strings of one function in a script. */
function stringsIn(path: string, name: string): string[] {
  const body = new RegExp(`^function ${name} \\{\\n([\\s\\S]*?)^\\}`, 'm').exec(helper(path))?.[1] ?? '';
  const code = body.replaceAll(/^\s*#.*$/gm, '');
  return [...code.matchAll(/'([^']*)'/g)].map(([, text]) => text ?? '');
}

const declared = (of: (footprint: Footprint) => readonly string[]) =>
  plugins.flatMap(({name, footprint}) => of(footprint).map(path => ({plugin: name, path})));

/** Each list of the helper is what plugins declare, and what is common. */
function expectSame(
  listed: readonly string[],
  own: readonly {plugin: string; path: string}[],
  common: readonly string[],
) {
  const has = (all: readonly string[], path: string) => all.some(each => each.toLowerCase() === path.toLowerCase());
  expect(listed.length).toBeGreaterThan(0);
  expect(own.filter(({path}) => !has(listed, path))).toEqual([]);
  expect(
    listed.filter(
      path =>
        !has(
          own.map(each => each.path),
          path,
        ) && !has(common, path),
    ),
  ).toEqual([]);
  expect(common.filter(path => !has(listed, path))).toEqual([]);
}

describe('what the helper reads', () => {
  it('is every file that a plugin declares', () => {
    const windowsFolder = /^c:\\windows\\/i;
    expectSame(
      stringsIn('windows/cni-paths.ps1', 'Get-CniFileList'),
      declared(({files, stateFiles}) => [
        ...files,
        // Plans may remove these, but no check reads them.
        ...stateFiles.map(({path}) => path).filter(path => !windowsFolder.test(path) && !path.includes('ipamv6')),
      ]),
      [
        'C:\\Program Files\\containerd\\config.toml',
        'C:\\k\\containerd\\containerd_conf.toml',
        'C:\\Program Files\\containerd\\cni\\conf\\*',
        'C:\\Program Files\\containerd\\cni\\bin\\*',
        'C:\\etc\\cni\\net.d\\*',
        'C:\\opt\\cni\\bin\\*',
        'C:\\k\\cni\\config\\*',
        'C:\\k\\cni\\*',
        'C:\\var\\lib\\cni\\networks\\*\\*',
        'C:\\sourcevip\\sourceVip.json',
        'C:\\k\\sourceVip.json',
        'C:\\var\\lib\\rancher\\rke2\\agent\\etc\\containerd\\config.toml*',
        'C:\\var\\lib\\rancher\\rke2\\agent\\etc\\cni\\*',
        'C:\\var\\lib\\rancher\\rke2\\agent\\etc\\cni\\net.d\\*',
        'C:\\var\\lib\\rancher\\rke2\\bin\\*',
      ],
    );
  });

  it('is every log that a plugin declares', () => {
    expectSame(
      stringsIn('windows/cni-paths.ps1', 'Get-CniLogList'),
      declared(({logs}) => logs),
      [
        'C:\\var\\log\\pods\\*kube-proxy*\\*\\*.log',
        'C:\\var\\log\\kubelet\\*.log',
        'C:\\var\\log\\kube-proxy\\*.log',
        'C:\\k\\logs\\*\\*.log',
        'C:\\k\\logs\\*\\*.log.INFO.*',
        'C:\\k\\*.log',
      ],
    );
  });

  it('is every registry value that a plugin declares', () => {
    const strings = stringsIn('windows/cni-paths.ps1', 'Get-CniRegistryList');
    const listed = strings.flatMap((text, i) => (i % 2 === 0 ? [`${text}\\${strings[i + 1]}`] : []));
    expectSame(
      listed,
      declared(({registry}) => registry.map(({path, name}) => `${path}\\${name}`)),
      [
        'HKLM:\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\UBR',
        'HKLM:\\SYSTEM\\CurrentControlSet\\Services\\hns\\State\\SDNRemoteArpMacAddress',
        'HKLM:\\SYSTEM\\CurrentControlSet\\Services\\hns\\State\\HNSControlFlag',
      ],
    );
  });

  it('is every service that a plugin declares', () => {
    const names = /\$names = @\(([\s\S]*?)\)/.exec(helper('sections/service.ps1'))?.[1] ?? '';
    expectSame(
      [...names.matchAll(/'([^']*)'/g)].map(([, name]) => name ?? ''),
      declared(({services}) => services),
      [
        ...['hns', 'vfpext', 'vmcompute', 'vmms', 'vmsmp', 'winnat', 'mpssvc', 'SharedAccess', 'RemoteAccess'],
        ...['Dhcp', 'Dnscache', 'containerd', 'docker', 'rke2', 'kubelet', 'kube-proxy', 'kubeproxy'],
        ...['windows_exporter', 'csi-proxy', 'hosts-config-agent'],
      ],
    );
  });

  it('is every process that a plugin declares', () => {
    const section = helper('sections/service.ps1').split('function Get-ProcessSection')[1] ?? '';
    const names = /\$names = @\(([\s\S]*?)\)/.exec(section)?.[1] ?? '';
    expectSame(
      [...names.matchAll(/'([^']*)\.exe'/g)].map(([, name]) => name ?? ''),
      declared(({processes}) => processes),
      ['containerd', 'dockerd', 'rke2', 'kubelet', 'kube-proxy', 'nssm'],
    );
  });
});

describe('what a plan may remove on a node', () => {
  it('is the state that plugins recreate, and what every node has', () => {
    expectSame(
      stringsIn('windows/cni-paths.ps1', 'Get-RemovablePathList'),
      declared(({stateFiles}) => stateFiles.filter(({removable}) => removable).map(({path}) => path)),
      [
        'C:\\var\\lib\\cni\\',
        'C:\\sourcevip\\',
        'C:\\k\\sourceVip.json',
        'C:\\openvswitch\\var\\run\\openvswitch\\',
        'C:\\openvswitch\\etc\\openvswitch\\conf.db',
      ],
    );
  });

  it('is the registry values that plugins do not need', () => {
    const [path, name] = stringsIn('windows/cni-paths.ps1', 'Get-RemovableRegistryList');
    const removable = plugins.flatMap(({footprint}) => footprint.registry.filter(value => value.removable));
    expect(removable.map(value => ({path: value.path, name: value.name}))).toEqual([{path, name}]);
  });
});
