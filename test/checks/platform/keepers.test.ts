import {describe, expect, it} from 'vitest';
import {diagnose as report} from '../../../src/diagnose/diagnose.js';
import {byRootCause} from '../../../src/diagnose/root-causes.js';
import {healthy, type Raw} from '../support.js';

const id = 'platform/keeper';
const calico = '09-calico-vxlan-healthy';
const flannel = '06-flannel-overlay-healthy';

describe('on RKE2', () => {
  const rke2 = (state: string | undefined, rest: Raw = {}) =>
    healthy(calico)
      .object('Node', 'cal-win-1', ({status}) => (status.nodeInfo.kubeletVersion = 'v1.30.4+rke2r1'))
      .section('services', services => {
        if (state) services.push({Name: 'rke2', State: state, StartMode: 'Auto', ProcessId: 812, ...rest});
      });

  it('is content with the running service', () => {
    expect(rke2('Running').outcomes(id)).toContain('pass');
    expect(rke2('Running').failures(id)).toEqual([]);
  });

  it('finds it stopped, and puts it above the agent that ended with it', () => {
    const stopped = rke2('Stopped', {ProcessId: 0, ExitCode: 1067})
      .removeObjects(({kind, metadata}) => kind === 'Pod' && metadata.name.startsWith('calico-node-windows'))
      .section('processes', processes => {
        processes.splice(0, processes.length, ...processes.filter(({Name}: Raw) => !/calico/.test(Name)));
      });
    const snapshot = stopped.read();
    const {nodes, cluster} = report({
      snapshot,
      names: ['cal-win-1'],
      failures: new Map(),
      selection: {},
      now: new Date(0),
    });
    const [top] = byRootCause(nodes[0]?.results ?? [], cluster.results);
    expect(top?.root).toMatchObject({
      id,
      severity: 'error',
      remedy: {steps: expect.arrayContaining(['Start-Service rke2'])},
    });
    expect(top?.explains.map(({id: its}) => its)).toContain('cni/agent-pod');
  });

  it('finds that there is none, unless the program runs without a service', () => {
    expect(rke2(undefined).failures(id)[0]).toMatch(/there is no service rke2/);
    const console = rke2(undefined).section('processes', processes =>
      processes.push({Name: 'rke2.exe', ProcessId: 9, StartTime: '2026-03-01T00:00:00Z'}),
    );
    expect(console.failures(id)).toEqual([]);
    expect(rke2(undefined).without('processes').outcomes(id)).toContain('unknown');
  });

  it('cannot tell without the services', () => {
    expect(rke2('Running').without('services').outcomes(id)).toContain('unknown');
  });
});

describe('a service of nssm', () => {
  const nssm = (state: string, Application: string) =>
    healthy(flannel).section('services', services =>
      services.push({
        Name: 'flanneld',
        State: state,
        StartMode: 'Auto',
        ProcessId: 5000,
        PathName: 'C:\\k\\nssm.exe',
        Application,
      }),
    );

  it('that is paused: its program ends after each start', () => {
    expect(nssm('Paused', 'C:\\flannel\\flanneld.exe').verdicts(id)[0]).toMatchObject({
      outcome: 'fail',
      severity: 'error',
      message: 'The program of service flanneld ends right after each start, so nssm waits with the next one.',
    });
  });

  it('that runs without its program', () => {
    const empty = nssm('Running', 'C:\\k\\flanneld.exe').section('processes', processes => {
      processes.splice(0, processes.length, ...processes.filter(({Name}: Raw) => !/flanneld/.test(Name)));
    });
    expect(empty.failures(id)).toEqual(['Service flanneld runs, but flanneld does not.']);
  });

  it('that runs a program of which processes are not listed cannot be empty', () => {
    expect(nssm('Running', 'C:\\Windows\\System32\\powershell.exe').failures(id)).toEqual([]);
  });

  it('whose program runs is healthy', () => {
    expect(nssm('Running', 'C:\\k\\flanneld.exe').failures(id)).toEqual([]);
  });
});

it('kube-proxy that its wrapper cannot keep running follows from the network that it waits for', () => {
  const changed = healthy(flannel)
    .removeObjects(({kind, metadata}) => kind === 'Pod' && metadata.name.startsWith('kube-proxy-windows'))
    .section('services', services =>
      services.push({
        Name: 'kubeproxy',
        State: 'Running',
        StartMode: 'Auto',
        ProcessId: 4100,
        PathName: 'C:\\k\\nssm.exe',
        Application: 'C:\\k\\kube-proxy.exe',
      }),
    )
    .section('processes', processes => {
      processes.splice(0, processes.length, ...processes.filter(({Name}: Raw) => !/kube-proxy/.test(Name)));
    });
  const roots = () => {
    const snapshot = changed.read();
    const names = ['fl-win-a'];
    const {nodes, cluster} = report({snapshot, names, failures: new Map(), selection: {}, now: new Date(0)});
    return byRootCause(nodes[0]?.results ?? [], cluster.results).map(({root}) => root.id);
  };
  expect(roots()).toContain(id);
  changed.section('hnsNetworks', networks => {
    networks.splice(0, networks.length, ...networks.filter(({Name}: Raw) => !/^flannel/.test(Name)));
  });
  expect(roots()).toContain('hns/network-present');
  expect(roots()).not.toContain(id);
});
