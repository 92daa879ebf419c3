import {readFileSync} from 'node:fs';
import {describe, expect, it} from 'vitest';
import {usualFolders} from '../../../src/snapshot/cni-conf.js';
import {healthy, type Scenario} from '../support.js';

// biome-ignore lint/suspicious/noExplicitAny: raw files
type Raw = any;
const flannel = () => healthy('06-flannel-overlay-healthy');
const onFirst = (changed: Scenario) => changed.verdicts('cni/conf').filter(({node}) => node === 'fl-win-a');
const path = 'C:\\etc\\cni\\net.d\\10-flannel.conf';
const conf = (files: Raw[]) => files.find(({Path}) => Path === path);

it('looks in no folder that the helper does not read', () => {
  const list = readFileSync(new URL('../../../helper/windows/cni-paths.ps1', import.meta.url), 'utf8').toLowerCase();
  for (const folder of usualFolders) expect(list).toContain(`'${folder}\\*'`);
});

describe('cni/conf', () => {
  it('finds the configuration of another plugin that sorts before its own', () => {
    const nat = (name: string) =>
      flannel().section('files', files => {
        files.push({Path: `C:\\etc\\cni\\net.d\\${name}`, Exists: true, Content: '{"name":"nat","type":"nat"}'});
      });
    expect(onFirst(nat('0-containerd-nat.conf'))[0]?.message).toMatch(/0-containerd-nat\.conf, which is for nat/);
    expect(onFirst(nat('99-containerd-nat.conf'))[0]?.outcome).toBe('pass');
    expect(onFirst(nat('0-containerd-nat.conf.off'))[0]?.outcome).toBe('pass');
  });

  it('finds a first configuration that is no JSON', () => {
    const changed = flannel().section('files', files => {
      conf(files).Content = '{"name": "flannel.4096",';
    });
    expect(onFirst(changed)[0]?.message).toMatch(/none that can be read/);
  });

  it('cannot tell where the folder could not be listed: no file is not the same as none that was seen', () => {
    const changed = flannel().section('files', files => {
      const elsewhere = files.filter(({Path}: Raw) => !Path.startsWith('C:\\etc\\cni\\net.d'));
      files.splice(0, files.length, ...elsewhere, {Path: 'C:\\etc\\cni\\net.d', Exists: true, Error: 'Access denied'});
    });
    expect(onFirst(changed)[0]).toMatchObject({
      outcome: 'unknown',
      message: 'Folder C:\\etc\\cni\\net.d could not be listed: Access denied',
    });
  });

  it('cannot tell from a file whose content was not read', () => {
    const changed = flannel().section('files', files => {
      delete conf(files).Content;
    });
    expect(onFirst(changed).map(({outcome}) => outcome)).toEqual(['unknown']);
  });

  it('finds the address that the node had before', () => {
    const changed = flannel().section('files', files => {
      conf(files).Content = conf(files).Content.replaceAll('10.90.12.41', '10.90.12.99');
    });
    expect(onFirst(changed)[0]?.message).toMatch(/10\.90\.12\.99.*10\.90\.12\.41/);
  });

  it('finds a program that is not in the folder of the runtime', () => {
    const changed = flannel().node(node => {
      node.sections.files = node.sections.files.filter(({Path}: Raw) => !/win-overlay\.exe/.test(Path));
    });
    expect(onFirst(changed)[0]?.message).toMatch(/win-overlay\.exe is not in/);
  });

  it('finds a runtime that looks in another folder', () => {
    const changed = flannel().section('files', files => {
      const toml = files.find(({Path}: Raw) => /config\.toml$/.test(Path));
      toml.Content = toml.Content.replace('C:\\etc\\cni\\net.d', 'C:\\Program Files\\containerd\\cni\\conf');
    });
    expect(onFirst(changed)[0]?.message).toMatch(/looks for its CNI configuration in c:\\program files/);
  });

  it('does not take a folder that nobody looks into for empty', () => {
    const changed = flannel().section('files', files => {
      const toml = files.find(({Path}: Raw) => /config\.toml$/.test(Path));
      toml.Content = toml.Content.replace('C:\\etc\\cni\\net.d', 'D:\\somewhere\\else');
    });
    expect(onFirst(changed)[0]?.outcome).toBe('unknown');
  });

  it('finds a program that was looked for and is not there, though nothing else of its folder was', () => {
    const changed = flannel().node(node => {
      node.sections.files = node.sections.files.filter(({Path}: Raw) => !/\.exe$/.test(Path));
      node.sections.files.push({Path: 'C:\\opt\\cni\\bin\\flannel.exe', Exists: false});
    });
    expect(onFirst(changed)[0]?.message).toMatch(/flannel\.exe is not in/);
  });

  it('knows the folder however it is written', () => {
    const changed = flannel().section('files', files => {
      const toml = files.find(({Path}: Raw) => /config\.toml$/.test(Path));
      toml.Content = 'conf_dir = "c:\\\\etc\\\\cni\\\\net.d\\\\"\nbin_dirs = ["/opt/cni/bin"]\n';
    });
    expect(onFirst(changed)[0]?.outcome).toBe('pass');
  });

  it('holds for plugins with OVS too', () => {
    const antrea = healthy('01-antrea-healthy').section('files', files => {
      files.push({
        Path: 'C:\\etc\\cni\\net.d\\05-flannel.conf',
        Exists: true,
        Content: '{"name":"cbr0","type":"flannel"}',
      });
    });
    expect(antrea.failures('cni/conf')).toHaveLength(1);
  });
});
