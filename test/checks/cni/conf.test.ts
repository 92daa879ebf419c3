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

it('reads no folder that the helper does not read', () => {
  const list = readFileSync(new URL('../../../helper/windows/cni-paths.ps1', import.meta.url), 'utf8').toLowerCase();
  expect(usualFolders.length).toBeGreaterThan(0);
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

  it('finds a first configuration that is not JSON', () => {
    const changed = flannel().section('files', files => {
      conf(files).Content = '{"name": "flannel.4096",';
    });
    expect(onFirst(changed)[0]?.message).toMatch(/is not valid/);
  });

  it('is undetermined if the folder could not be listed: not read is not empty', () => {
    const changed = flannel().section('files', files => {
      const elsewhere = files.filter(({Path}: Raw) => !Path.startsWith('C:\\etc\\cni\\net.d'));
      files.splice(0, files.length, ...elsewhere, {Path: 'C:\\etc\\cni\\net.d', Exists: true, Error: 'Access denied'});
    });
    expect(onFirst(changed)[0]).toMatchObject({
      outcome: 'unknown',
      message: 'Folder C:\\etc\\cni\\net.d could not be listed: Access denied',
    });
  });

  it('is undetermined for a file whose content was not read', () => {
    const changed = flannel().section('files', files => {
      delete conf(files).Content;
    });
    expect(onFirst(changed).map(({outcome}) => outcome)).toEqual(['unknown']);
  });

  it('finds the previous address of the node', () => {
    const changed = flannel().section('files', files => {
      conf(files).Content = conf(files).Content.replaceAll('10.90.12.41', '10.90.12.99');
    });
    expect(onFirst(changed)[0]?.message).toMatch(/10\.90\.12\.99.*10\.90\.12\.41/);
  });

  it('finds a program that is missing from the folder of the runtime', () => {
    const changed = flannel().node(node => {
      node.sections.files = node.sections.files.filter(({Path}: Raw) => !/win-overlay\.exe/.test(Path));
    });
    expect(onFirst(changed)[0]?.message).toMatch(/win-overlay\.exe is not in/);
  });

  it('finds a runtime that uses another folder', () => {
    const changed = flannel().section('files', files => {
      const toml = files.find(({Path}: Raw) => /config\.toml$/.test(Path));
      toml.Content = toml.Content.replace('C:\\etc\\cni\\net.d', 'C:\\Program Files\\containerd\\cni\\conf');
    });
    expect(onFirst(changed)[0]?.message).toMatch(/reads CNI configurations from c:\\program files/);
  });

  it('does not mistake a folder that was not read for an empty one', () => {
    const changed = flannel().section('files', files => {
      const toml = files.find(({Path}: Raw) => /config\.toml$/.test(Path));
      toml.Content = toml.Content.replace('C:\\etc\\cni\\net.d', 'D:\\somewhere\\else');
    });
    expect(onFirst(changed)[0]?.outcome).toBe('unknown');
  });

  it('finds a missing program, even if nothing else of its folder was read', () => {
    const changed = flannel().node(node => {
      node.sections.files = node.sections.files.filter(({Path}: Raw) => !/\.exe$/.test(Path));
      node.sections.files.push({Path: 'C:\\opt\\cni\\bin\\flannel.exe', Exists: false});
    });
    expect(onFirst(changed)[0]?.message).toMatch(/flannel\.exe is not in/);
  });

  it('recognises the folder in any notation', () => {
    const changed = flannel().section('files', files => {
      const toml = files.find(({Path}: Raw) => /config\.toml$/.test(Path));
      toml.Content = 'conf_dir = "c:\\\\etc\\\\cni\\\\net.d\\\\"\nbin_dirs = ["/opt/cni/bin"]\n';
    });
    expect(onFirst(changed)[0]?.outcome).toBe('pass');
  });

  it('also applies to plugins with OVS', () => {
    const antrea = healthy('01-antrea-healthy').section('files', files => {
      files.push({
        Path: 'C:\\etc\\cni\\net.d\\05-flannel.conf',
        Exists: true,
        Content: '{"name":"cbr0","type":"flannel"}',
      });
    });
    expect(antrea.failures('cni/conf')).toHaveLength(1);
  });

  it('says how to put another configuration out of the way', () => {
    const changed = flannel().section('files', files => {
      files.push({Path: "C:\\etc\\cni\\net.d\\0-it's.conf", Exists: true, Content: '{"name":"nat","type":"nat"}'});
    });
    expect(onFirst(changed)[0]).toMatchObject({
      evidence: [{object: "C:\\etc\\cni\\net.d\\0-it's.conf", field: 'type', seen: 'nat'}],
      remedy: {
        steps: [
          "Rename-Item -LiteralPath 'C:\\etc\\cni\\net.d\\0-it''s.conf' -NewName '0-it''s.conf.off'",
          expect.stringContaining('Restart-Service containerd'),
        ],
      },
    });
  });

  it('says the same of a configuration that names no plugin', () => {
    const changed = flannel().section('files', files => {
      conf(files).Content = '{"name": "flannel.4096"}';
    });
    expect(onFirst(changed)[0]).toMatchObject({
      message: expect.stringContaining('is not valid'),
      evidence: [{seen: null}],
    });
  });

  it('says which address is in the configuration, and where the network is', () => {
    const changed = flannel().section('files', files => {
      conf(files).Content = conf(files).Content.replaceAll('10.90.12.41', '10.90.12.99');
    });
    expect(onFirst(changed)[0]?.evidence).toMatchObject([
      {section: 'files', object: path, seen: '10.90.12.99', expected: '10.90.12.41'},
      {section: 'hnsNetworks', object: 'flannel.4096', seen: '10.90.12.41'},
    ]);
  });

  it.each([
    ['the network has no address', (network: Raw) => delete network.ManagementIP],
    ['there is no network', (network: Raw) => Object.assign(network, {Name: 'other'})],
  ])('does not compare the address where %s', (_, change) => {
    const changed = flannel()
      .section('files', files => {
        conf(files).Content = conf(files).Content.replaceAll('10.90.12.41', '10.90.12.99');
      })
      .section('hnsNetworks', networks => change(networks.find(({Name}: Raw) => Name === 'flannel.4096')));
    expect(onFirst(changed)[0]?.outcome).toBe('pass');
  });

  const programs = (change: (files: Raw[]) => Raw[]) =>
    onFirst(
      flannel().node(node => {
        node.sections.files = change(node.sections.files);
      }),
    )[0];
  const without =
    (...names: string[]) =>
    (files: Raw[]) =>
      files.filter(({Path}) => !names.some(name => Path.toLowerCase().endsWith(`\\${name}`)));

  it('names every program that is missing', () => {
    expect(programs(without('win-overlay.exe'))).toMatchObject({
      message: `win-overlay.exe is not in c:\\opt\\cni\\bin, but ${path} requires it.`,
      evidence: [{object: 'c:\\opt\\cni\\bin\\win-overlay.exe', seen: null}],
    });
    const two = programs(without('win-overlay.exe', 'flannel.exe'));
    expect(two?.message).toMatch(/flannel\.exe.*win-overlay\.exe are not in .* requires them\.$/);
    expect(two?.evidence).toHaveLength(2);
  });

  it('does not ask for programs where nothing of their folder was seen', () => {
    expect(programs(without('win-overlay.exe', 'flannel.exe', 'host-local.exe'))?.outcome).toBe('pass');
  });

  it('does not mistake a program in another folder, or another file, for it', () => {
    const moved = (Path: string) => (files: Raw[]) => [...without('win-overlay.exe')(files), {Path, Exists: true}];
    expect(programs(moved('C:\\elsewhere\\win-overlay.exe'))?.outcome).toBe('fail');
    expect(programs(moved('C:\\opt\\cni\\bin\\win-overlay.exe.bak'))?.outcome).toBe('fail');
    expect(programs(moved('C:\\opt\\cni\\bin\\WIN-Overlay.EXE'))?.outcome).toBe('pass');
  });

  it('asks for an IPAM that is a program, and for no other', () => {
    const ipam = (type: string) => (files: Raw[]) => {
      const json = JSON.parse(conf(files).Content);
      json.delegate.ipam = {type};
      conf(files).Content = JSON.stringify(json);
      return without('host-local.exe')(files);
    };
    expect(programs(ipam('host-local'))?.message).toMatch(/^host-local\.exe is not in/);
    expect(programs(ipam('own-ipam'))?.outcome).toBe('pass');
  });

  it('knows a plugin that is named with its extension', () => {
    const named = (files: Raw[]) => {
      const json = JSON.parse(conf(files).Content);
      json.delegate.type = 'Win-Overlay.exe';
      conf(files).Content = JSON.stringify(json);
      return files;
    };
    expect(programs(named)?.outcome).toBe('pass');
  });
});

describe('cni/conf on a node without a configuration', () => {
  const none = (ready: object, more: Raw[] = [], confDir = 'C:\\etc\\cni\\net.d') =>
    onFirst(
      flannel()
        .object('Node', 'fl-win-a', ({status}) => {
          Object.assign(
            status.conditions.find(({type}: Raw) => type === 'Ready'),
            ready,
          );
        })
        .section('files', files => {
          files.splice(files.indexOf(conf(files)), 1, ...more);
          const toml = files.find(({Path}: Raw) => /config\.toml$/.test(Path));
          toml.Content = toml.Content.replace('C:\\etc\\cni\\net.d', confDir);
        }),
    )[0];
  const notReady = {
    status: 'False',
    message:
      'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:cni plugin not initialized',
  };

  it('says so where kubelet says so too', () => {
    expect(none(notReady)).toMatchObject({
      outcome: 'fail',
      message: 'The node has no CNI configuration, so pods get no network.',
      evidence: [
        {section: 'files', object: 'c:\\etc\\cni\\net.d', seen: null},
        {section: 'cluster', object: 'Node fl-win-a', seen: notReady.message},
      ],
    });
  });

  it.each([
    ['is ready', {status: 'True', message: notReady.message}],
    ['is not ready for another reason', {status: 'False', message: 'PLEG is not healthy'}],
    ['does not say why it is not ready', {status: 'False', message: undefined}],
  ])('cannot tell while the node %s', (_, ready) => {
    expect(none(ready)?.outcome).toBe('unknown');
  });

  const elsewhere = {
    Path: 'C:\\k\\cni\\config\\10-flannel.conf',
    Exists: true,
    Content: '{"name":"flannel.4096","type":"flannel"}',
  };

  it('says where the one of the plugin is, and how to lead the runtime there', () => {
    expect(none(notReady, [elsewhere])).toMatchObject({
      outcome: 'fail',
      message: expect.stringContaining(`from c:\\etc\\cni\\net.d, but that of the plugin is ${elsewhere.Path}`),
      evidence: [{object: elsewhere.Path, seen: 'c:\\k\\cni\\config', expected: 'c:\\etc\\cni\\net.d'}],
      remedy: {steps: [expect.stringContaining("'c:\\k\\cni\\config'"), 'Restart-Service containerd']},
    });
  });

  it.each([
    ['is not there', {Exists: false}],
    ['is none', {Content: '{}'}],
    ['was not read', {Content: undefined}],
    ['is put out of the way', {Path: `${elsewhere.Path}.off`}],
  ])('does not name a file that %s', (_, change) => {
    expect(none(notReady, [{...elsewhere, ...change}])?.message).toMatch(/^The node has no CNI configuration/);
  });

  it('does not name one while nobody looks into the folder of the runtime', () => {
    expect(none({status: 'True'}, [elsewhere], 'D:\\own\\net.d')?.outcome).toBe('unknown');
  });
});
