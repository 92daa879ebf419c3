import {describe, expect, it} from 'vitest';
import {healthy, type Scenario, scenario} from '../support.js';

// biome-ignore lint/suspicious/noExplicitAny: raw objects
type Raw = any;
const id = 'cni/agent-pod';
const flannel = () => healthy('06-flannel-overlay-healthy');
const onFirst = (changed: Scenario) => changed.verdicts(id).find(({node}) => node === 'fl-win-a');
const agentPod = (changed: Scenario, change: (pod: Raw) => void) =>
  changed.object('Pod', 'kube-flannel-ds-windows-amd64-2bchx', change);
const notReady = (pod: Raw) => {
  pod.status.conditions.find(({type}: Raw) => type === 'Ready').status = 'False';
  pod.status.containerStatuses[0].ready = false;
};
const withoutAgent = (changed: Scenario) =>
  changed
    .removeObjects(({kind, metadata}) => kind === 'Pod' && metadata.name === 'kube-flannel-ds-windows-amd64-2bchx')
    .node(node => {
      node.sections.processes = node.sections.processes.filter(({Name}: Raw) => Name !== 'flanneld.exe');
    });

describe('cni/agent-pod', () => {
  it('finds an agent that crash-loops, and says why it last ended', () => {
    const changed = agentPod(flannel(), pod => {
      notReady(pod);
      Object.assign(pod.status.containerStatuses[0], {
        restartCount: 7,
        state: {waiting: {reason: 'CrashLoopBackOff'}},
        lastState: {terminated: {exitCode: 1, reason: 'Error'}},
      });
    });
    const finding = onFirst(changed);
    expect(finding?.message).toMatch(/CrashLoopBackOff, last exit code 1, 7 restarts/);
    expect(finding?.remedy).toMatchObject({
      steps: [
        expect.stringMatching(/^kubectl -n kube-flannel logs kube-flannel-ds-windows-amd64-2bchx -c kube-flannel/),
        expect.anything(),
      ],
    });
  });

  it('waits for an agent that has only just started', () => {
    const changed = agentPod(flannel(), notReady).section('processes', processes => {
      processes.find(({Name}: Raw) => Name === 'flanneld.exe').StartTime = '2026-03-04T10:01:33+01:00';
    });
    expect(onFirst(changed)?.outcome).toBe('info');
  });

  it('does not hold restarts of long ago against an agent that is ready', () => {
    const restarted = (finishedAt: string) =>
      agentPod(flannel(), pod => {
        pod.status.containerStatuses[0].restartCount = 9;
        pod.status.containerStatuses[0].lastState = {terminated: {exitCode: 1, finishedAt}};
      });
    expect(onFirst(restarted('2026-02-01T00:00:00Z'))?.outcome).toBe('pass');
    expect(onFirst(restarted('2026-03-04T08:58:00Z'))).toMatchObject({outcome: 'fail', severity: 'warning'});
  });

  it('finds a node that the DaemonSet has no pod on', () => {
    expect(onFirst(withoutAgent(flannel()))?.message).toMatch(/kube-flannel\/kube-flannel-ds-windows-amd64 has no pod/);
  });

  it('asks for no DaemonSet where the agent runs as a service, or was started by something else', () => {
    const bySomebody = withoutAgent(flannel()).removeObjects(
      ({kind, metadata}) => kind === 'DaemonSet' && /windows/.test(metadata.name),
    );
    expect(onFirst(bySomebody)?.outcome).toBe('fail');
    bySomebody.section('processes', processes => processes.push({Name: 'flanneld.exe', ProcessId: 1}));
    expect(onFirst(bySomebody)?.outcome).toBe('pass');
    const asService = withoutAgent(flannel()).section('services', services => {
      services.push({Name: 'flanneld', State: 'Running', StartMode: 'Auto'});
    });
    expect(onFirst(asService)?.outcome).toBe('pass');
  });

  it('finds a service that is stopped', () => {
    const changed = scenario('12-hybrid-overlay-network-missing').node(node => {
      node.sections.services.find(({Name}: Raw) => Name === 'hybrid-overlay-node').State = 'Stopped';
      node.sections.processes = node.sections.processes.filter(({Name}: Raw) => !/hybrid/.test(Name));
    });
    expect(changed.failures(id)[0]).toMatch(/hybrid-overlay-node of OVN-Kubernetes is stopped/);
  });

  it('cannot tell where neither pods nor services were read', () => {
    const changed = withoutAgent(flannel()).without('services').without('processes');
    expect(onFirst(changed)?.outcome).toBe('unknown');
  });
});
