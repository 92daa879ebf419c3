import {describe, expect, it} from 'vitest';
import {scenario} from '../../checks/support.js';
import {detected} from '../support.js';

// biome-ignore lint/suspicious/noExplicitAny: raw files
type Raw = any;
const rebooted = () => scenario('11-azure-cni-after-reboot');
const file = (files: Raw[], name: string) => files.find(({Path}) => Path === `C:\\k\\${name}`);

/** The case with the network of its state file. */
const repaired = () =>
  rebooted().section('hnsNetworks', networks => {
    networks.push({...networks[0], Name: 'azure', ID: 'E385EB7E-C63B-449A-A21E-F31DA4B4B4A4'});
  });

describe('Azure CNI', () => {
  it('has no agent if addresses come from the VNet', () => {
    const classic = repaired()
      .removeObjects(({metadata}) => /azure-cns/.test(metadata.name))
      .node(node => {
        node.sections.processes = node.sections.processes.filter(({Name}: Raw) => Name !== 'azure-cns.exe');
      });
    expect(detected(classic)).toMatchObject({name: 'azure', profile: {agent: undefined}});
  });

  it('does not claim an AKS cluster with its own CNI', () => {
    const own = scenario('09-calico-vxlan-healthy').object('Node', /^cal-win/, node => {
      node.metadata.labels['kubernetes.azure.com/cluster'] = 'rg';
    });
    expect(detected(own).name).toBe('calico');
    expect(own.failures('cni/two-plugins')).toEqual([]);
  });
});

describe('cni/azure-state', () => {
  const id = 'cni/azure-state';

  it('accepts a state file whose network HNS has', () => {
    expect(repaired().outcomes(id)).toEqual(['pass']);
  });

  it('finds a network that was recreated under the same name', () => {
    const again = repaired().section('hnsNetworks', networks => {
      networks.at(-1).ID = 'AAAAAAAA-0000-0000-0000-000000000000';
    });
    expect(again.failures(id)[0]).toMatch(/its id in HNS is different/);
  });

  it('finds a file of zero bytes, as after power loss', () => {
    const broken = repaired().section('files', files => {
      file(files, 'azure-vnet.json').Content = '\0'.repeat(1814);
    });
    expect(broken.failures(id)[0]).toMatch(/zero bytes/);
  });

  it('accepts a missing file, and an empty one', () => {
    for (const change of [{Exists: false, Content: null}, {Content: ''}]) {
      const changed = rebooted().section('files', files => {
        Object.assign(file(files, 'azure-vnet.json'), change);
      });
      expect(changed.failures(id)).toEqual([]);
    }
  });

  it('finds a lock from before the boot, and ignores a current one', () => {
    const locked = (time: string) =>
      repaired().section('files', files => {
        Object.assign(file(files, 'azure-vnet.json.lock'), {Exists: true, LastWriteTime: time});
      });
    expect(locked('2026-03-01T02:44:16+00:00').failures(id)[0]).toMatch(
      /azure-vnet\.json\.lock is older than the last boot/,
    );
    expect(locked('2026-03-01T05:40:50+00:00').outcomes(id)).toEqual(['pass']);
  });

  it('is undetermined while HNS does not answer', () => {
    expect(scenario('14-hns-not-answering').outcomes(id)).toEqual(['unknown']);
  });
});

describe('cni/azure-reset-task', () => {
  const id = 'cni/azure-reset-task';
  const ready = () =>
    rebooted()
      .section('scheduledTasks', tasks => {
        tasks.find(({TaskName}: Raw) => TaskName === 'k8s-restart-job').State = 'Ready';
      })
      .section('files', files => {
        file(files, 'windowsnodereset.log').LastWriteTime = '2026-03-01T04:53:40+00:00';
      });

  it('accepts a task that has run since the boot', () => {
    expect(ready().outcomes(id)).toEqual(['pass']);
  });

  it('finds that it is missing', () => {
    const missing = ready().node(node => {
      node.sections.scheduledTasks = [];
    });
    expect(missing.failures(id)[0]).toMatch(/does not exist/);
  });

  it('finds that it has not run since the boot', () => {
    const skipped = ready().section('files', files => {
      file(files, 'windowsnodereset.log').LastWriteTime = '2026-02-16T04:53:40+00:00';
    });
    expect(skipped.failures(id)[0]).toMatch(/has not run since the boot/);
    const booting = skipped.section('os', os => {
      os.SystemTime = '2026-03-01T04:54:00+00:00';
    });
    expect(booting.failures(id)).toEqual([]);
  });

  it('requires no log on a node that was never rebooted', () => {
    const first = ready().section('files', files => {
      Object.assign(file(files, 'windowsnodereset.log'), {Exists: false, LastWriteTime: null});
    });
    expect(first.outcomes(id)).toEqual(['pass']);
  });

  it('finds a node that was created with another CNI', () => {
    const other = ready().section('files', files => {
      const config = file(files, 'kubeclusterconfig.json');
      config.Content = config.Content.replace('"Name": "azure"', '"Name": "none"');
    });
    expect(other.failures(id)[0]).toMatch(/^The CNI in .* is none/);
  });
});
