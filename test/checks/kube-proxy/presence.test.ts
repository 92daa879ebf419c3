import {describe, expect, it} from 'vitest';
import {healthy, type Scenario, scenario} from '../support.js';

// biome-ignore lint/suspicious/noExplicitAny: raw sections
type Raw = any;
const flannel = () => healthy('06-flannel-overlay-healthy');
const onFirst = (changed: Scenario, id: string) => changed.verdicts(id).find(({node}) => node === 'fl-win-a');

const withoutProcess = (changed: Scenario) =>
  changed.node(node => {
    node.sections.processes = node.sections.processes.filter(({Name}: Raw) => Name !== 'kube-proxy.exe');
  });
const withoutPod = (changed: Scenario) =>
  changed.removeObjects(
    ({kind, spec, metadata}) => kind === 'Pod' && spec.nodeName === 'fl-win-a' && /^kube-proxy/.test(metadata.name),
  );

describe('kube-proxy/expected', () => {
  it('finds a node without kube-proxy if the plugin requires it', () => {
    expect(onFirst(withoutPod(withoutProcess(flannel())), 'kube-proxy/expected')?.outcome).toBe('fail');
  });

  it('accepts a pod, a process, or a service', () => {
    expect(onFirst(withoutProcess(flannel()), 'kube-proxy/expected')?.outcome).toBe('pass');
    expect(onFirst(withoutPod(flannel()), 'kube-proxy/expected')?.outcome).toBe('pass');
    const service = withoutPod(withoutProcess(flannel())).section('services', services => {
      services.push({Name: 'kubeproxy', State: 'Running', StartMode: 'Auto'});
    });
    expect(onFirst(service, 'kube-proxy/expected')?.outcome).toBe('pass');
  });

  it('finds a service that is stopped', () => {
    const bridge = withoutProcess(scenario('13-win-bridge-outbound-nat')).section('services', services => {
      services.find(({Name}: Raw) => Name === 'kube-proxy').State = 'Stopped';
    });
    expect(bridge.failures('kube-proxy/expected')[0]).toMatch(/kube-proxy is stopped/);
  });

  it('finds kube-proxy where it must not run', () => {
    const ovn = healthy('04-kube-ovn-healthy');
    expect(ovn.outcomes('kube-proxy/expected')).toEqual(['pass']);
    ovn.section('processes', processes => {
      processes.push({Name: 'kube-proxy.exe', ProcessId: 4711});
    });
    expect(ovn.failures('kube-proxy/expected')[0]).toMatch(/Kube-OVN does not support kube-proxy on Windows/);
  });

  it('is undetermined if processes were not read', () => {
    expect(flannel().without('processes').outcomes('kube-proxy/expected')).toEqual(['unknown', 'unknown']);
  });
});

describe('kube-proxy/older-than-hns', () => {
  const hnsStarted = (changed: Scenario, time: string) =>
    changed.section('hnsService', hns => {
      hns.StartedAt = time;
    });

  it('finds that HNS has restarted since kube-proxy started', () => {
    expect(onFirst(hnsStarted(flannel(), '2026-03-01T08:00:00+01:00'), 'kube-proxy/older-than-hns')?.outcome).toBe(
      'fail',
    );
  });

  it('passes if kube-proxy started last', () => {
    expect(onFirst(hnsStarted(flannel(), '2026-02-26T05:04:14+01:00'), 'kube-proxy/older-than-hns')?.outcome).toBe(
      'pass',
    );
  });

  it('does not report a service that waited for HNS at boot', () => {
    const waiting = (started: string) =>
      hnsStarted(withoutPod(withoutProcess(flannel())), started).section('services', services => {
        services.push({Name: 'kubeproxy', State: 'Running', StartedAt: '2026-02-26T05:01:00+01:00'});
      });
    expect(onFirst(waiting('2026-02-26T05:01:16+01:00'), 'kube-proxy/older-than-hns')?.outcome).toBe('skipped');
    expect(onFirst(waiting('2026-03-01T08:00:00+01:00'), 'kube-proxy/older-than-hns')?.outcome).toBe('fail');
  });

  it('uses the start of the hns service if HNS does not answer', () => {
    const changed = flannel().without('hnsService');
    expect(onFirst(changed, 'kube-proxy/older-than-hns')?.outcome).toBe('pass');
  });
});

describe('kube-proxy/hostname-override', () => {
  const started = (commandLine: string) =>
    flannel().section('processes', processes => {
      processes.find(({Name}: Raw) => Name === 'kube-proxy.exe').CommandLine = commandLine;
    });

  it('finds kube-proxy with the name of another node', () => {
    const changed = started('C:\\k\\kube-proxy.exe --v=4 --hostname-override=fl-win-b --enable-dsr=true');
    expect(onFirst(changed, 'kube-proxy/hostname-override')?.message).toMatch(/fl-win-b.*fl-win-a/);
  });

  it.each(['--hostname-override=fl-win-a', '--hostname-override FL-WIN-A', '"--hostname-override=fl-win-a"'])(
    'accepts the node name: %s',
    flag => {
      expect(onFirst(started(`kube-proxy.exe ${flag}`), 'kube-proxy/hostname-override')?.outcome).toBe('pass');
    },
  );

  it('compares the computer name if no flag is set', () => {
    const changed = withoutPod(started('kube-proxy.exe --proxy-mode=kernelspace'));
    expect(onFirst(changed, 'kube-proxy/hostname-override')?.outcome).toBe('pass');
    changed.section('os', os => {
      os.CSName = 'WIN-0ABCDEF';
    });
    expect(onFirst(changed, 'kube-proxy/hostname-override')?.outcome).toBe('fail');
  });

  it('reads the configuration file', () => {
    const openshift = scenario('12-hybrid-overlay-network-missing').section('files', files => {
      const file = files.find(({Path}: Raw) => Path === 'C:\\k\\kube-proxy.conf');
      file.Content = file.Content.replace('hostnameOverride: ocp-win-0', 'hostnameOverride: ocp-win-1');
    });
    expect(openshift.failures('kube-proxy/hostname-override')).toHaveLength(1);
  });

  it('is undetermined if the node does not show it', () => {
    expect(scenario('13-win-bridge-outbound-nat').outcomes('kube-proxy/hostname-override')).toEqual(['unknown']);
  });

  it('does not conclude from unread services that nothing runs kube-proxy', () => {
    const bridge = () => withoutProcess(scenario('13-win-bridge-outbound-nat'));
    const [check, other] = ['kube-proxy/hostname-override', 'kube-proxy/older-than-hns'];
    expect([bridge().outcomes(check), bridge().outcomes(other)]).toEqual([['skipped'], ['skipped']]);
    const unread = () => bridge().without('services');
    expect([unread().outcomes(check), unread().outcomes(other)]).toEqual([['unknown'], ['unknown']]);
  });
});

describe('kube-proxy where it must not run', () => {
  const id = 'kube-proxy/expected';
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {namespace: 'kube-system', name: 'kube-proxy-x'},
    spec: {nodeName: 'kovn-win-1', containers: [{name: 'kube-proxy'}]},
    status: {phase: 'Running'},
  };
  const service = {Name: 'KubeProxy', State: 'Running', StartMode: 'Auto'};
  const ovn = (change: (changed: Scenario) => unknown) => {
    const changed = healthy('04-kube-ovn-healthy');
    change(changed);
    return changed.verdicts(id)[0];
  };
  const left = 'Remove its load balancers: Get-HnsPolicyList | Remove-HnsPolicyList';

  it('is told as a process', () => {
    expect(ovn(its => its.section('processes', all => all.push({Name: 'kube-proxy.exe', ProcessId: 1})))).toMatchObject(
      {
        severity: 'warning',
        evidence: [{section: 'processes', seen: ['a process']}],
        remedy: {steps: [left]},
      },
    );
  });

  it('is told as a service, with how to keep it from starting', () => {
    expect(ovn(its => its.section('services', all => all.push(service)))).toMatchObject({
      evidence: [{section: 'services', seen: ['service KubeProxy']}],
      remedy: {steps: ["Stop-Service 'KubeProxy'; Set-Service 'KubeProxy' -StartupType Disabled", left]},
    });
    expect(ovn(its => its.section('services', all => all.push({...service, State: 'Stopped'})))?.outcome).toBe('pass');
  });

  it('is told as a pod, with how to keep its DaemonSet away', () => {
    expect(ovn(its => its.addObject(pod))).toMatchObject({
      evidence: [{section: 'cluster', seen: ['Pod kube-proxy-x']}],
      remedy: {steps: [expect.stringContaining('kubernetes.io/os=linux'), left]},
    });
    expect(ovn(its => its.addObject({...pod, status: {phase: 'Pending'}}))?.outcome).toBe('pass');
    expect(ovn(its => its.addObject({...pod, spec: {...pod.spec, nodeName: 'other'}}))?.outcome).toBe('pass');
  });

  it.each(['kube-proxy-watcher', 'my-kube-proxy'])('is not service %s', Name => {
    expect(ovn(its => its.section('services', all => all.push({...service, Name})))?.outcome).toBe('pass');
  });

  it('is told of Antrea, which does its work', () => {
    const antrea = healthy('01-antrea-healthy').section('services', services => services.push(service));
    expect(antrea.failures(id)).toEqual(['kube-proxy runs on this node (service KubeProxy), but Antrea replaces it.']);
  });
});

describe('kube-proxy where it is needed', () => {
  const id = 'kube-proxy/expected';
  const none = () => withoutPod(withoutProcess(flannel()));

  it('is an error where it is missing, with how to see why', () => {
    expect(onFirst(none(), id)).toMatchObject({
      outcome: 'fail',
      severity: 'error',
      evidence: [{section: 'processes', object: 'kube-proxy', seen: null}],
      remedy: {steps: [expect.stringContaining('spec.nodeName=fl-win-a'), expect.anything()]},
    });
  });

  it('is an error where its service is stopped', () => {
    const stopped = none().section('services', services => services.push({Name: 'kubeproxy', State: 'Stopped'}));
    expect(onFirst(stopped, id)).toMatchObject({
      outcome: 'fail',
      severity: 'error',
      message: expect.stringMatching(/^Service kubeproxy is stopped,/),
      evidence: [{section: 'services', object: 'kubeproxy', seen: 'Stopped'}],
      remedy: {steps: ["Start-Service 'kubeproxy'", expect.anything()]},
    });
  });

  it('is waited for right after a boot', () => {
    const booting = none().section('os', os => {
      os.LastBootUpTime = os.SystemTime;
    });
    expect(onFirst(booting, id)).toMatchObject({
      outcome: 'info',
      message: 'kube-proxy is not running yet (the node booted 0 s ago).',
    });
  });

  it('may run inside K3s, while that runs', () => {
    const k3s = (Name: string, State: string) =>
      onFirst(
        none().section('services', services => services.push({Name, State})),
        id,
      )?.outcome;
    expect(k3s('k3s-agent', 'Running')).toBe('pass');
    expect(k3s('K3s', 'Running')).toBe('pass');
    expect(k3s('k3s-agent', 'Stopped')).toBe('fail');
    expect(k3s('my-k3s', 'Running')).toBe('fail');
  });
});

describe('the start of kube-proxy', () => {
  const id = 'kube-proxy/older-than-hns';
  const hns = (StartedAt: string | undefined) => (changed: Scenario) =>
    changed.section('hnsService', its => {
      its.StartedAt = StartedAt;
    });
  const late = hns('2026-03-01T08:00:00+01:00');

  it('is reported with both times', () => {
    expect(onFirst(late(flannel()), id)?.evidence).toMatchObject([
      {section: 'hnsService', seen: '2026-03-01T07:00:00.000Z'},
      {section: 'processes', seen: '2026-02-26T04:04:15.000Z', expected: 'later than 2026-03-01T07:00:00.000Z'},
    ]);
  });

  it('may be the same as that of HNS', () => {
    expect(onFirst(hns('2026-02-26T05:04:15+01:00')(flannel()), id)?.outcome).toBe('pass');
    expect(onFirst(hns('2026-02-26T05:04:16+01:00')(flannel()), id)?.outcome).toBe('fail');
  });

  it('is that of its service or its container, where the process tells none', () => {
    const timeless = () =>
      late(flannel()).section('processes', processes => {
        delete processes.find(({Name}: Raw) => Name === 'kube-proxy.exe').StartTime;
      });
    expect(onFirst(timeless(), id)?.evidence[1]).toMatchObject({
      section: 'cluster',
      seen: expect.stringMatching(/^2026-02-26T04:04/),
    });
    const service = timeless().section('services', services =>
      services.push({Name: 'kube-proxy', State: 'Running', StartedAt: '2026-02-26T05:01:00+01:00'}),
    );
    expect(onFirst(service, id)?.evidence[1]).toMatchObject({section: 'services', seen: '2026-02-26T04:01:00.000Z'});
    expect(onFirst(withoutPod(timeless()), id)).toMatchObject({
      outcome: 'unknown',
      message: 'kube-proxy start time unknown.',
    });
  });

  it('counts five minutes after a boot: before, a service may have waited for HNS', () => {
    const waiting = (started: string) =>
      onFirst(
        hns(started)(withoutPod(withoutProcess(flannel()))).section('services', services =>
          services.push({Name: 'kubeproxy', State: 'Running', StartedAt: '2026-02-26T05:01:00+01:00'}),
        ),
        id,
      )?.outcome;
    expect(waiting('2026-02-26T05:05:51+01:00')).toBe('skipped');
    expect(waiting('2026-02-26T05:05:52+01:00')).toBe('fail');
  });

  it('is compared with what else tells when HNS started', () => {
    const silent = () => hns(undefined)(flannel());
    const restarted = (section: string, matches: (row: Raw) => boolean, field: string) =>
      silent().section(section, rows => {
        rows.find(matches)[field] = '2026-03-01T08:00:00+01:00';
      });
    expect(
      onFirst(
        restarted('services', ({Name}) => Name === 'hns', 'StartedAt'),
        id,
      )?.outcome,
    ).toBe('fail');
    const bare = silent().section('services', services => {
      delete services.find(({Name}: Raw) => Name === 'hns').StartedAt;
    });
    expect(onFirst(bare, id)?.outcome).toBe('pass');
    bare.section('processes', processes => {
      processes.find(({Service}: Raw) => Service === 'hns').StartTime = '2026-03-01T08:00:00+01:00';
    });
    expect(onFirst(bare, id)?.outcome).toBe('fail');
    bare.section('processes', processes => {
      delete processes.find(({Service}: Raw) => Service === 'hns').StartTime;
    });
    expect(onFirst(bare, id)).toMatchObject({outcome: 'unknown', message: 'HNS start time unknown.'});
  });
});

describe('where kube-proxy gets its node name from', () => {
  const id = 'kube-proxy/hostname-override';
  const wrong = '--hostname-override=wrong';
  const evidence = (changed: Scenario) => {
    const found = onFirst(changed, id);
    const {section, object, field, seen} = found?.evidence[0] ?? {};
    return found?.outcome === 'fail' ? [section, object, field, seen] : found?.outcome;
  };
  const service = (its: object) =>
    flannel().section('services', services => services.push({Name: 'kubeproxy', State: 'Running', ...its}));
  const line = (CommandLine: string) =>
    flannel().section('processes', processes => {
      processes.find(({Name}: Raw) => Name === 'kube-proxy.exe').CommandLine = CommandLine;
    });
  const pod = (container: Raw) =>
    flannel().object('Pod', 'kube-proxy-windows-znmx9', ({spec}) => Object.assign(spec.containers[0], container));

  it('is a flag of its process, its service or its pod', () => {
    expect(evidence(line(`kube-proxy.exe ${wrong}`))).toEqual(['processes', 'kube-proxy', 'CommandLine', 'wrong']);
    expect(evidence(service({AppParameters: `--v=4 ${wrong}`}))).toEqual([
      'services',
      'kubeproxy',
      'AppParameters',
      'wrong',
    ]);
    expect(evidence(service({PathName: `C:\\k\\kube-proxy.exe ${wrong}`}))).toEqual([
      'services',
      'kubeproxy',
      'PathName',
      'wrong',
    ]);
    expect(evidence(pod({args: [wrong]}))).toEqual(['cluster', 'Pod kube-proxy-windows-znmx9', 'args', 'wrong']);
    expect(evidence(pod({command: ['kube-proxy.exe', wrong]}))).toEqual(expect.arrayContaining(['args', 'wrong']));
  });

  it('is a variable of its pod, also within a flag', () => {
    const env = (value: string) => [{name: 'NODE_NAME', value}];
    expect(evidence(pod({env: env('wrong')}))).toEqual([
      'cluster',
      'Pod kube-proxy-windows-znmx9',
      'NODE_NAME',
      'wrong',
    ]);
    expect(evidence(pod({env: env('wrong'), args: ['--hostname-override=$(NODE_NAME)']}))).toEqual(
      expect.arrayContaining(['args', 'wrong']),
    );
    expect(evidence(pod({args: ['--hostname-override=$(NODE_NAME)']}))).toBe('pass');
  });

  it.each([`--hostname-override="wrong"`, `--hostname-override='wrong'`, `--hostname-override wrong`])(
    'is read from %s',
    flag => {
      expect(evidence(line(`kube-proxy.exe --v=4 ${flag} --x`))).toEqual(expect.arrayContaining(['wrong']));
    },
  );

  it.each([
    '--no--hostname-override=wrong',
    '--hostname-override=$env:NAME',
    '--hostname-override=%NAME%',
    '--hostname-override=""',
  ])('is not read from %s', flag => {
    expect(evidence(line(`kube-proxy.exe ${flag}`))).toBe('pass');
  });

  it('is that of a file, where no flag is set', () => {
    const file = (Path: string, Content: string | undefined, Exists = true) =>
      flannel().section('files', files => files.push({Path, Content, Exists}));
    const text = 'winkernel:\n  networkName: flannel.4096\nhostnameOverride: "wrong" # of the node\n';
    expect(evidence(file('C:\\k\\kube-proxy.conf', text))).toEqual([
      'files',
      'C:\\k\\kube-proxy.conf',
      'hostnameOverride',
      'wrong',
    ]);
    expect(evidence(file('C:\\k\\KubeProxy-config.yml', text))).toEqual(expect.arrayContaining(['wrong']));
    expect(evidence(file('C:\\k\\kube-proxy.yaml', text))).toEqual(expect.arrayContaining(['wrong']));
    expect(evidence(file('C:\\k\\kube-proxy.yaml', text, false))).toBe('pass');
    expect(evidence(file('C:\\k\\kube-proxy.yaml', undefined))).toBe('pass');
    expect(evidence(file('C:\\k\\my-kube-proxy.yaml', text))).toBe('pass');
    expect(evidence(file('C:\\k\\kube-proxy.yaml.bak', text))).toBe('pass');
  });

  it('is the machine, where the command line was seen and sets none', () => {
    const machine = (changed: Scenario) =>
      withoutPod(changed).section('os', os => {
        os.CSName = 'OTHER';
      });
    expect(evidence(machine(line('kube-proxy.exe')))).toEqual([
      'os',
      'kube-proxy without --hostname-override',
      'CSName',
      'other',
    ]);
    expect(evidence(machine(service({AppParameters: '--v=4'})))).toEqual(expect.arrayContaining(['other']));
    expect(evidence(machine(flannel()))).toBe('unknown');
  });
});
