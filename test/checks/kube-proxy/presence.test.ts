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
  it('finds a node without kube-proxy, where the plugin needs it', () => {
    expect(onFirst(withoutPod(withoutProcess(flannel())), 'kube-proxy/expected')?.outcome).toBe('fail');
  });

  it('is content with a pod, with a process, or with a service', () => {
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

  it('cannot tell where processes were not read', () => {
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

  it('is content when kube-proxy came last', () => {
    expect(onFirst(hnsStarted(flannel(), '2026-02-26T05:04:14+01:00'), 'kube-proxy/older-than-hns')?.outcome).toBe(
      'pass',
    );
  });

  it('does not take a service that waited for HNS at boot for an older kube-proxy', () => {
    const waiting = (started: string) =>
      hnsStarted(withoutPod(withoutProcess(flannel())), started).section('services', services => {
        services.push({Name: 'kubeproxy', State: 'Running', StartedAt: '2026-02-26T05:01:00+01:00'});
      });
    expect(onFirst(waiting('2026-02-26T05:01:16+01:00'), 'kube-proxy/older-than-hns')?.outcome).toBe('skipped');
    expect(onFirst(waiting('2026-03-01T08:00:00+01:00'), 'kube-proxy/older-than-hns')?.outcome).toBe('fail');
  });

  it('takes the start of the service hns where HNS itself did not answer', () => {
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

  it('compares the name of the machine where no flag is set', () => {
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

  it('cannot tell what nothing on the node tells', () => {
    expect(scenario('13-win-bridge-outbound-nat').outcomes('kube-proxy/hostname-override')).toEqual(['unknown']);
  });

  it('does not take services that were not read for a node where nothing runs kube-proxy', () => {
    const bridge = () => withoutProcess(scenario('13-win-bridge-outbound-nat'));
    const [check, other] = ['kube-proxy/hostname-override', 'kube-proxy/older-than-hns'];
    expect([bridge().outcomes(check), bridge().outcomes(other)]).toEqual([['skipped'], ['skipped']]);
    const unread = () => bridge().without('services');
    expect([unread().outcomes(check), unread().outcomes(other)]).toEqual([['unknown'], ['unknown']]);
  });
});
