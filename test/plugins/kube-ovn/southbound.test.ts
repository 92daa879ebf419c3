import {describe, expect, it} from 'vitest';
import {setRootId} from '../../checks/ovs/tables.js';
import {healthy, type Scenario} from '../../checks/support.js';

const id = 'ovs/ovn-southbound';
const target = '192.168.96.10:6642';

const withoutController = (kubeOvn: Scenario) =>
  kubeOvn.node(({sections}) => {
    sections.processes = sections.processes.filter(({Name}: {Name: string}) => Name !== 'ovn-controller.exe');
    sections.services.find(({Name}: {Name: string}) => Name === 'ovn-controller').State = 'Stopped';
  });

const probe = (ok: boolean) => (probes: {Target: string; Ok: boolean}[]) => {
  for (const its of probes.filter(({Target}) => Target === target)) its.Ok = ok;
};

describe(id, () => {
  it('finds an unreachable southbound database', () => {
    const [finding] = healthy('04-kube-ovn-healthy').section('probes', probe(false)).verdicts(id);
    expect(finding).toMatchObject({outcome: 'fail', severity: 'error'});
    expect(finding?.message).toContain(target);
    expect(finding?.remedy).toMatchObject({
      steps: expect.arrayContaining(["Test-NetConnection -ComputerName '192.168.96.10' -Port 6642"]),
    });
  });

  it('only warns while another server answers', () => {
    const cluster = healthy('04-kube-ovn-healthy')
      .section('ovs', ovs => setRootId(ovs, 'ovn-remote', 'tcp:[192.168.96.10]:6642,tcp:192.168.96.11:6642'))
      .section('probes', probes => {
        probe(false)(probes);
        probes.push({Target: '192.168.96.11:6642', Kind: 'tcp', Ok: true});
      });
    expect(cluster.verdicts(id)).toEqual([expect.objectContaining({outcome: 'fail', severity: 'warning'})]);
  });

  it('finds SSL, which is not supported on Windows', () => {
    const secured = healthy('04-kube-ovn-healthy').section('ovs', ovs =>
      setRootId(ovs, 'ovn-remote', 'ssl:[192.168.96.10]:6642'),
    );
    expect(secured.failures(id)).toEqual([expect.stringContaining('SSL')]);
  });

  it('uses the default port of OVS for a server without a port', () => {
    const cluster = healthy('04-kube-ovn-healthy')
      .section('ovs', ovs => setRootId(ovs, 'ovn-remote', 'tcp:192.168.96.10'))
      .section('probes', probes => probes.push({Target: '192.168.96.10:6640', Kind: 'tcp', Ok: false}));
    expect(cluster.failures(id)).toEqual([expect.stringContaining('192.168.96.10:6640')]);
  });

  it('finds OVS without a configured database address', () => {
    const blank = healthy('04-kube-ovn-healthy').section('ovs', ovs => setRootId(ovs, 'ovn-remote', undefined));
    expect(blank.failures(id)).toEqual([expect.stringContaining('is not set in OVS (external-ids:ovn-remote)')]);
  });

  it('finds a node with a different system-id', () => {
    const other = healthy('04-kube-ovn-healthy').section('ovs', ovs =>
      setRootId(ovs, 'system-id', '00000000-0000-0000-0000-00000000000d'),
    );
    expect(other.failures(id)).toEqual([expect.stringContaining('another chassis')]);
  });

  it('accepts the byte-order mark that PowerShell writes', () => {
    const marked = healthy('04-kube-ovn-healthy').section('files', files => {
      const file = files.find(({Path}: {Path: string}) => Path.endsWith('system-id.conf'));
      file.Content = `\uFEFF${file.Content}`;
    });
    expect(marked.outcomes(id)).toEqual(['pass']);
  });

  it('finds ovn-controller stopped, but allows for its late start after a boot', () => {
    const stopped = withoutController(healthy('04-kube-ovn-healthy'));
    expect(stopped.failures(id)).toEqual([expect.stringContaining('ovn-controller is stopped')]);
    const booting = stopped.section('os', os => {
      os.LastBootUpTime = os.SystemTime;
    });
    expect(booting.outcomes(id)).toEqual(['info']);
  });

  it('is undetermined if it was not probed', () => {
    expect(healthy('04-kube-ovn-healthy').without('probes').outcomes(id)).toEqual(['unknown']);
  });

  it('counts the servers that do not answer, with the reason', () => {
    const remote = 'tcp:[192.168.96.10]:6642, tcp:192.168.96.11:6642,unix:/run/ovnsb.sock';
    const two = healthy('04-kube-ovn-healthy')
      .section('ovs', ovs => setRootId(ovs, 'ovn-remote', remote))
      .section('probes', probes => {
        probe(false)(probes);
        probes.push({Target: '192.168.96.11:6642', Kind: 'tcp', Ok: true});
      });
    expect(two.failures(id)).toEqual([expect.stringContaining('1 of 2 servers of the southbound database')]);
    const none = two.section('probes', probes => {
      Object.assign(probes.at(-1), {Ok: false, Error: 'refused'});
    });
    expect(none.verdicts(id)).toMatchObject([
      {
        severity: 'error',
        message: expect.stringContaining('not reachable from this node (192.168.96.10:6642, 192.168.96.11:6642)'),
        evidence: [{seen: expect.anything()}, {object: '192.168.96.11:6642', seen: 'refused', expected: true}],
      },
    ]);
  });

  it('finds that ovn-controller does not run without a service, if both were read', () => {
    const noService = () =>
      withoutController(healthy('04-kube-ovn-healthy')).node(({sections}) => {
        sections.services = sections.services.filter(({Name}: {Name: string}) => Name !== 'ovn-controller');
      });
    expect(noService().failures(id)).toEqual([expect.stringContaining('ovn-controller is not running')]);
    expect(noService().without('processes').failures(id)).toEqual([]);
    expect(noService().without('services').failures(id)).toEqual([]);
  });

  it('accepts an ovn-controller that runs, as a process or by its service', () => {
    const asProcess = healthy('04-kube-ovn-healthy').node(({sections}) => {
      sections.services.find(({Name}: {Name: string}) => Name === 'ovn-controller').State = 'Stopped';
    });
    expect(asProcess.outcomes(id)).toEqual(['pass']);
    const asService = healthy('04-kube-ovn-healthy').node(({sections}) => {
      sections.processes = sections.processes.filter(({Name}: {Name: string}) => Name !== 'ovn-controller.exe');
    });
    expect(asService.outcomes(id)).toEqual(['pass']);
  });

  it('reports a failure, and omits what could not be tested beside it', () => {
    const both = withoutController(healthy('04-kube-ovn-healthy')).without('probes');
    expect(both.outcomes(id)).toEqual(['fail']);
  });

  it('does not compare a missing system-id', () => {
    const blank = healthy('04-kube-ovn-healthy').section('ovs', ovs => setRootId(ovs, 'system-id', undefined));
    expect(blank.failures(id)).toEqual([]);
  });
});
