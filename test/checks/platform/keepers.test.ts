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

  it('accepts the running service', () => {
    expect(rke2('Running').outcomes(id)).toContain('pass');
    expect(rke2('Running').failures(id)).toEqual([]);
  });

  it('finds it stopped, as the cause of the agent that stopped with it', () => {
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

  it('finds that it is missing, unless the program runs without a service', () => {
    expect(rke2(undefined).failures(id)[0]).toMatch(/service rke2, which keeps it running, does not exist/);
    const console = rke2(undefined).section('processes', processes =>
      processes.push({Name: 'rke2.exe', ProcessId: 9, StartTime: '2026-03-01T00:00:00Z'}),
    );
    expect(console.failures(id)).toEqual([]);
    expect(rke2(undefined).without('processes').outcomes(id)).toContain('unknown');
  });

  it('is undetermined without the services', () => {
    expect(rke2('Running').without('services').outcomes(id)).toContain('unknown');
  });
});

describe('an nssm service', () => {
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

  it('that is paused: its program exits after each start', () => {
    expect(nssm('Paused', 'C:\\flannel\\flanneld.exe').verdicts(id)[0]).toMatchObject({
      outcome: 'fail',
      severity: 'error',
      message: 'The program of service flanneld exits right after each start, so nssm delays the next start.',
    });
  });

  it('that runs without its program', () => {
    const empty = nssm('Running', 'C:\\k\\flanneld.exe').section('processes', processes => {
      processes.splice(0, processes.length, ...processes.filter(({Name}: Raw) => !/flanneld/.test(Name)));
    });
    expect(empty.failures(id)).toEqual(['Service flanneld is running, but flanneld is not.']);
  });

  it('whose program is not in the list of read processes is not reported', () => {
    expect(nssm('Running', 'C:\\Windows\\System32\\powershell.exe').failures(id)).toEqual([]);
  });

  it('whose program runs is healthy', () => {
    expect(nssm('Running', 'C:\\k\\flanneld.exe').failures(id)).toEqual([]);
  });
});

it('kube-proxy that its wrapper cannot keep running is explained by the network that it waits for', () => {
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

describe('what is told of the service of RKE2', () => {
  const rke2 = (rest: object, more: (services: Raw[]) => void = () => undefined) =>
    healthy(calico)
      .section('services', services => {
        services.push({Name: 'RKE2', State: 'Stopped', StartMode: 'Auto', ProcessId: 0, ExitCode: 0, ...rest});
        more(services);
      })
      .verdicts(id)
      .find(({node}) => node === 'cal-win-1');

  it('is its state and exit code, and how to start it', () => {
    expect(rke2({ExitCode: 1067})).toMatchObject({
      outcome: 'fail',
      message: expect.stringMatching(/^Service rke2 is stopped:/),
      evidence: [{object: 'rke2', field: 'State', seen: 'Stopped, exit code 1067', expected: 'Running'}],
      remedy: {steps: ['Start-Service rke2', expect.anything()]},
    });
    expect(rke2({})?.evidence[0]?.seen).toBe('Stopped');
    expect(rke2({StartMode: 'Disabled'})?.remedy).toMatchObject({
      steps: ['Set-Service rke2 -StartupType Automatic', 'Start-Service rke2', expect.anything()],
    });
  });

  it('is that it is still starting', () => {
    const {SystemTime} = healthy(calico).document.nodes['cal-win-1']?.sections.os ?? {};
    expect(rke2({State: 'Start Pending', StartedAt: SystemTime})).toMatchObject({
      outcome: 'unknown',
      message: 'Service rke2 is changing state (Start Pending).',
    });
    expect(rke2({State: 'Start Pending', StartedAt: '2020-01-01T00:00:00Z'})?.outcome).toBe('fail');
  });

  it('is only information right after a boot', () => {
    const booting = healthy(calico)
      .section('services', services => services.push({Name: 'rke2', State: 'Stopped', StartMode: 'Auto'}))
      .section('os', os => {
        os.LastBootUpTime = os.SystemTime;
      });
    expect(booting.verdicts(id).find(({node}) => node === 'cal-win-1')).toMatchObject({
      outcome: 'info',
      message: expect.stringMatching(/^Still settling \(the node booted 0 s ago\): Service rke2/),
    });
  });

  it('is how to make it, where there is none', () => {
    const none = healthy(calico).object('Node', 'cal-win-1', ({status}) => {
      status.nodeInfo.kubeletVersion = 'v1.30.4+rke2r1';
    });
    expect(none.verdicts(id).find(({outcome}) => outcome === 'fail')).toMatchObject({
      evidence: [{object: 'rke2', seen: null}],
      remedy: {steps: ['rke2.exe agent service --add', 'Start-Service rke2']},
    });
  });
});

describe('what is told of services of nssm', () => {
  const service = (Name: string, State: string, rest: object = {}) => ({
    Name,
    State,
    StartMode: 'Auto',
    ProcessId: 5000,
    PathName: 'C:\\k\\nssm.exe',
    Application: `C:\\k\\${Name}.exe`,
    ...rest,
  });
  const found = (...services: object[]) =>
    healthy(flannel)
      .section('services', all => all.push(...services))
      .section('processes', processes => {
        processes.splice(0, processes.length, ...processes.filter(({Name}: Raw) => !/^(flanneld|kubelet)/.test(Name)));
      })
      .verdicts(id)
      .find(({node}) => node === 'fl-win-a');

  it('is each of them, with what it lacks', () => {
    expect(found(service('flanneld', 'Running'), service('mine', 'Paused'))).toMatchObject({
      message:
        'The program of service mine exits right after each start, so nssm delays the next start; service flanneld is running, but flanneld is not.',
      evidence: [
        {section: 'services', object: 'mine', seen: 'Paused', expected: 'Running'},
        {section: 'processes', object: 'flanneld', seen: null, expected: 'a process, started by service flanneld'},
      ],
      remedy: {
        steps: [expect.anything(), "Restart-Service 'mine'", "Restart-Service 'flanneld'", expect.anything()],
      },
    });
    expect(found(service('a', 'Paused'), service('b', 'Paused'))?.message).toMatch(
      /^The program of services a.* b exits/,
    );
    const two = found(service('flanneld', 'Running'), service('x', 'Running', {Application: '"C:\\k\\Kubelet.EXE"'}));
    expect(two?.message).toMatch(/^Services flanneld.* x are running, but flanneld.* kubelet is not\.$/);
  });

  it.each([
    ['C:\\k\\nssm.exe', 'fail'],
    ['"C:\\Program Files\\nssm-2.24\\NSSM.exe" run', 'fail'],
    ['C:/k/nssm-win64.exe', 'fail'],
    ['C:\\k\\notnssm.exe', 'pass'],
  ])('is told of a wrapper at %s: %s', (PathName, outcome) => {
    expect(found(service('mine', 'Paused', {PathName, Application: undefined}))?.outcome).toBe(outcome);
  });

  it('is nothing of a service that is stopped, or while processes were not read', () => {
    expect(found(service('flanneld', 'Stopped'))?.outcome).toBe('pass');
    const unread = healthy(flannel)
      .section('services', all => all.push(service('flanneld', 'Running')))
      .without('processes');
    expect(unread.failures(id)).toEqual([]);
  });
});
