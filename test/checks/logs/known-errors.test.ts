import {describe, expect, it} from 'vitest';
import {healthy, type Raw, scenario} from '../support.js';

const id = 'log/known-error';
const antrea = '01-antrea-healthy';
const failed = 'hnsCall failed in Win32: The parameter is incorrect. (0x57)';

/** A log of the Antrea agent that ends with these lines. */
const log = (...lines: string[]) =>
  healthy(antrea).section('logs', logs => {
    logs[0].Tail = lines.join('\n');
  });

describe('log/known-error', () => {
  it('reports what a line means, where it is, and what to do', () => {
    const [found] = log(`E0303 10:40:12.000000 1 agent.go:1] ${failed}`).verdicts(id);
    expect(found).toMatchObject({
      outcome: 'fail',
      severity: 'warning',
      message: expect.stringMatching(/^antrea-agent\.log: HNS cannot create the network/),
      evidence: [
        {section: 'logs', object: 'C:\\var\\log\\antrea\\antrea-agent.log', seen: expect.stringContaining('0x57')},
      ],
      remedy: {command: 'kubectl win cleanup winapp-01', cutsNetwork: true},
    });
  });

  it.each([
    ['of the agent', 'kube-system_antrea-agent-windows-x_1', 1],
    ['of a pod in another namespace with the name of the agent', 'team-antrea_antrea-agent-windows-x_1', 0],
  ])('includes logs of pods: %s', (_, pod, count) => {
    const said = healthy(antrea).section('logs', logs => {
      logs[0].Tail = `E0303 10:40:12.000000 1 agent.go:1] ${failed}`;
      logs[0].Path = `C:\\var\\log\\pods\\${pod}\\antrea-agent\\0.log`;
    });
    expect(said.failures(id)).toHaveLength(count);
  });

  it('recognises codes in any language, and in the decimal form of HNS', () => {
    expect(
      log('E0303 10:40:12.0 1 x] hcnCreateNetwork failed in Win32: Falscher Parameter. (0x57)').failures(id),
    ).toHaveLength(1);
    expect(log('{"Success":false,"Error":"Element nicht gefunden.","ErrorCode":2151350273}').failures(id)).toHaveLength(
      1,
    );
    expect(log('HNS failed: {"ErrorCode":2147943568}').failures(id)).toHaveLength(1);
  });

  it.each([
    'exit code 0x57 of a user program',
    'I0303 10:40:12.0 1 x] wait ovn0 gw ready',
    '2026-03-03T10:40:00Z|00002|ovs_numa|INFO|Discovered 0 NUMA nodes and 0 CPU cores',
    '2026-03-03T10:40:00Z|00002|dpif_netlink|INFO|The kernel module does not support meters.',
    '2026-03-03T10:40:00Z|00002|bridge|WARN|could not open network device web-6c8f-30b7d1 (No such device)',
    'hnsCall took (0x570) ms',
    'E0303 10:40:12.0 1 x] Failed to delete endpoint: hcnOpenEndpoint failed in Win32: Element not found. (0x490)',
  ])('is silent about "%s"', line => {
    expect(log(line).outcomes(id)).toEqual(['pass']);
  });

  it('ignores a failure that is followed by a success in the same log', () => {
    const over = log(
      `E0303 10:40:12.0 1 x] ${failed}`,
      'I0303 10:40:31.0 1 net_windows.go:146] "Created HNSNetwork" name="antrea-hnsnetwork"',
    );
    expect(over.outcomes(id)).toEqual(['pass']);
  });

  it('reports a failure after the success', () => {
    const again = log('I0303 10:40:01.0 1 x] "Created HNSNetwork" name="x"', `E0303 10:40:12.0 1 x] ${failed}`);
    expect(again.outcomes(id)).toEqual(['fail']);
  });

  it('ignores a line that is more than half an hour older than the end of its log', () => {
    expect(log(`E0303 09:40:12.0 1 x] ${failed}`, 'I0303 10:40:31.0 1 x] idle').outcomes(id)).toEqual(['pass']);
    expect(log(`E0303 10:20:12.0 1 x] ${failed}`, 'I0303 10:40:31.0 1 x] idle').outcomes(id)).toEqual(['fail']);
  });

  it('reports the last lines of an agent that hangs, however old', () => {
    expect(scenario('08-flannel-host-gw-after-reboot').failures(id)[0]).toMatch(
      /^kube-flannel\/0\.log: an endpoint from before/,
    );
  });

  it('ignores logs from before the boot', () => {
    const old = log(`E0224 02:40:12.0 1 x] ${failed}`).section('logs', logs => {
      logs[0].LastWriteTime = '2026-02-24T02:41:00+00:00';
    });
    expect(old.outcomes(id)).toEqual(['pass']);
  });

  it('reads Windows events of the last hour', () => {
    const event = (TimeCreated: string) =>
      healthy(antrea).section('events', events =>
        events.push({TimeCreated, LogName: 'HNS-Admin', Message: 'HNS failed with error 0x803B0006'}),
      );
    expect(event('2026-03-03T10:00:00+00:00').failures(id)).toHaveLength(1);
    expect(event('2026-03-03T08:00:00+00:00').outcomes(id)).toEqual(['pass']);
  });

  it("reads the kubelet's messages about waiting pods", () => {
    const event = {
      kind: 'Event',
      metadata: {name: 'e', namespace: 'shop'},
      involvedObject: {kind: 'Pod', name: 'storefront-s949w5skg-hg6j7', namespace: 'shop'},
      lastTimestamp: '2026-03-03T10:30:00Z',
      message: `Failed to create pod sandbox: ${failed}`,
    };
    expect(healthy(antrea).addObject(event).outcomes(id)).toEqual(['pass']);
    const waits = healthy(antrea)
      .addObject(event)
      .object('Pod', /^storefront/, (pod: Raw) => {
        pod.status.phase = 'Pending';
      });
    expect(waits.failures(id)[0]).toMatch(/^events of pod shop\/storefront/);
  });

  it('ignores a line from before the last start of its component', () => {
    const line = `E0303 10:30:12.0 1 x] ${failed}`;
    const start = 'I0303 10:32:00.0 1 x] Starting Antrea agent (version v2.2.0)';
    expect(log(line, start, 'I0303 10:40:31.0 1 x] idle').outcomes(id)).toEqual(['pass']);
    expect(log(line, start, 'I0303 10:32:20.0 1 x] waiting').outcomes(id)).toEqual(['fail']);
  });

  it('ignores a log that its component has not written since it started', () => {
    const written = (LastWriteTime: string) =>
      log(`E0303 10:30:12.0 1 x] ${failed}`).section('logs', logs => {
        logs[0].LastWriteTime = LastWriteTime;
      });
    const restarted = (changed: ReturnType<typeof written>) =>
      changed.section('processes', processes => {
        processes.find(({Name}: Raw) => Name === 'antrea-agent.exe').StartTime = '2026-03-03T10:35:00+00:00';
      });
    expect(restarted(written('2026-03-03T10:31:00+00:00')).outcomes(id)).toEqual(['pass']);
    expect(restarted(written('2026-03-03T10:36:00+00:00')).outcomes(id)).toEqual(['fail']);
  });

  it('recognises an unknown HNS code by its family', () => {
    expect(log('E0303 10:40:12.0 1 x] CreateEndpoint: failed with 0x803b003f').failures(id)[0]).toMatch(
      /HNS rejected a call with one of its error codes/,
    );
    expect(log('E0303 10:40:12.0 1 x] CreateNetwork: failed with 0x803b0006').failures(id)).toHaveLength(1);
    expect(log('E0303 10:40:12.0 1 x] deleting endpoint: 0x803b0002').outcomes(id)).toEqual(['pass']);
  });

  it('does not report a disabled extension if it is enabled', () => {
    const line = 'E0303 10:40:12.0 1 x] Failed to set the uplink port with no-flood config';
    expect(log(line).failures(id)[0]).toMatch(/although its extension is enabled/);
    const off = log(line)
      .section('vmSwitchExtensions', extensions => {
        for (const extension of extensions) extension.Enabled = false;
      })
      .section('hnsNetworks', networks => {
        for (const {Extensions = []} of networks) for (const extension of Extensions) extension.IsEnabled = false;
      });
    expect(off.failures(id)[0]).toMatch(/the extension is disabled/);
    expect(off.verdicts(id)[0]?.causedBy).toContain('ovs/extension');
  });

  it('folds a consequence under its cause', () => {
    const echoes = scenario('11-azure-cni-after-reboot').verdicts(id);
    expect(echoes.length).toBeGreaterThan(0);
    expect(echoes.every(({causedBy}) => causedBy?.includes('hns/network-present'))).toBe(true);
  });

  it('is quick with a hostile log', () => {
    const hostile = log('hns '.repeat(50_000) + 'uplink "'.repeat(50_000), ...Array(5000).fill('uplink "hns (0x'));
    expect(hostile.outcomes(id)).toEqual(['pass']);
  });
});
