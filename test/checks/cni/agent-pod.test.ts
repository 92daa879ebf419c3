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
  it('finds an agent that crash-loops, and why it last exited', () => {
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

  it('ignores old restarts of an agent that is ready', () => {
    const restarted = (finishedAt: string) =>
      agentPod(flannel(), pod => {
        pod.status.containerStatuses[0].restartCount = 9;
        pod.status.containerStatuses[0].lastState = {terminated: {exitCode: 1, finishedAt}};
      });
    expect(onFirst(restarted('2026-02-01T00:00:00Z'))?.outcome).toBe('pass');
    expect(onFirst(restarted('2026-03-04T08:58:00Z'))).toMatchObject({outcome: 'fail', severity: 'warning'});
  });

  it('finds a node without a pod of the DaemonSet', () => {
    expect(onFirst(withoutAgent(flannel()))?.message).toMatch(/kube-flannel\/kube-flannel-ds-windows-amd64 has no pod/);
  });

  it('requires no DaemonSet if the agent runs as a service, or was started in another way', () => {
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

  it('is undetermined if neither pods nor services were read', () => {
    const changed = withoutAgent(flannel()).without('services').without('processes');
    expect(onFirst(changed)?.outcome).toBe('unknown');
  });
});

describe('a pod of the agent that is not ready', () => {
  const said = (change: (status: Raw) => void) =>
    onFirst(
      agentPod(flannel(), pod => {
        notReady(pod);
        change(pod.status);
      }),
    );
  const name = 'kube-flannel/kube-flannel-ds-windows-amd64-2bchx';

  it('is reported with the container that stopped, an init container first', () => {
    const finding = said(status => {
      status.initContainerStatuses = [
        {name: 'install-cni', ready: true, state: {terminated: {exitCode: 0}}},
        {name: 'install-more', state: {terminated: {exitCode: 3, reason: 'Error'}}, restartCount: 2},
      ];
    });
    expect(finding?.message).toBe(
      `flanneld is not ready: pod ${name}, container install-more: Error, last exit code 3, 2 restarts.`,
    );
    expect(finding?.evidence).toMatchObject([
      {object: `Pod ${name}`, field: 'Ready', seen: 'False'},
      {object: `Pod ${name}, container install-more`, seen: {state: 'terminated', restarts: 2}},
    ]);
    expect(finding?.remedy).toMatchObject({steps: [expect.stringContaining(' -c install-more '), expect.anything()]});
  });

  it('is reported with what the container ended with before', () => {
    const finding = said(status => {
      Object.assign(status.containerStatuses[0], {
        restartCount: 1,
        lastState: {terminated: {exitCode: 2, reason: 'StartError', message: 'x'.repeat(400)}},
      });
    });
    expect(finding?.message).toMatch(/container kube-flannel: not ready, last exit code 2, 1 restarts\.$/);
    expect(finding?.evidence[1]?.seen).toEqual({
      state: 'running',
      restarts: 1,
      lastExitCode: 2,
      lastReason: 'StartError',
      lastMessage: 'x'.repeat(300),
    });
  });

  it('is reported without what is not known of it', () => {
    const finding = said(status => {
      Object.assign(status.containerStatuses[0], {restartCount: 0, lastState: {}});
    });
    expect(finding?.message).toBe(`flanneld is not ready: pod ${name}, container kube-flannel: not ready.`);
    expect(finding?.evidence[1]?.seen).toEqual({state: 'running', restarts: 0});
  });

  it('is reported with its own reason or phase where no container says why', () => {
    const without = (rest: object) =>
      said(status => Object.assign(status, {containerStatuses: [], reason: undefined}, rest));
    expect(without({reason: 'Evicted'})?.message).toMatch(/2bchx, Evicted\.$/);
    expect(without({phase: 'Pending'})?.message).toMatch(/2bchx, Pending\.$/);
    expect(without({phase: undefined})?.message).toMatch(/2bchx\.$/);
    expect(without({})?.evidence).toHaveLength(1);
    expect(without({})?.remedy).toMatchObject({steps: [expect.not.stringContaining(' -c '), expect.anything()]});
  });

  it.each([
    ['2026-03-04T08:57:34Z', 'info'],
    ['2026-03-04T08:57:33Z', 'fail'],
  ])('is given five minutes after it was made: %s', (startTime, outcome) => {
    expect(said(status => Object.assign(status, {startTime}))?.outcome).toBe(outcome);
  });

  it('is undetermined where its conditions were not read', () => {
    const blank = agentPod(flannel(), ({status}) => {
      status.conditions = [];
    });
    expect(onFirst(blank)).toMatchObject({
      outcome: 'unknown',
      message: `The Ready condition of pod ${name} was not read.`,
    });
  });
});

describe('an agent that is ready and keeps ending', () => {
  const restarted = (restartCount: number | undefined, finishedAt: string | undefined) =>
    onFirst(
      agentPod(flannel(), ({status}) => {
        Object.assign(status.containerStatuses[0], {
          restartCount,
          lastState: {terminated: {exitCode: 1, finishedAt}},
        });
      }),
    );

  it('is one that has restarted three times, and within a quarter of an hour', () => {
    const lately = '2026-03-04T08:47:34Z';
    expect(restarted(3, lately)).toMatchObject({
      outcome: 'fail',
      severity: 'warning',
      message: expect.stringMatching(
        /keeps restarting: container kube-flannel of pod .* has restarted 3 times, most recently within the last 15 minutes/,
      ),
    });
    expect(restarted(2, lately)?.outcome).toBe('pass');
    expect(restarted(3, '2026-03-04T08:47:33Z')?.outcome).toBe('pass');
    expect(restarted(3, undefined)?.outcome).toBe('pass');
    expect(restarted(undefined, lately)?.outcome).toBe('pass');
  });
});

describe('an agent with OVS in its pod', () => {
  /** Without OVS on the node, with a pod of the agent in some state, or without one. */
  const withoutOvs = (change: ((status: Raw) => void) | undefined, inPod = true) => {
    const isPod = ({kind, metadata}: Raw) => kind === 'Pod' && /^antrea-agent-windows/.test(metadata.name);
    const container = {name: 'antrea-ovs', image: 'antrea/antrea-windows:v2.2.0'};
    const changed = healthy('01-antrea-healthy')
      .object('DaemonSet', 'antrea-agent-windows', ({spec}) => {
        if (inPod) spec.template.spec.containers.push(container);
      })
      .object('Pod', /^antrea-agent-windows/, pod => {
        if (inPod) pod.spec.containers.push(container);
        pod.status.conditions = [{type: 'Ready', status: 'False'}];
        change?.(pod.status);
      })
      .node(({sections}) => {
        sections.processes = [];
        if (inPod) sections.services = sections.services.filter(({Name}: Raw) => !/^ovs/.test(Name));
        else for (const its of sections.services) if (/^ovs/.test(its.Name)) its.State = 'Stopped';
      });
    if (!change) changed.removeObjects(isPod);
    return changed.verdicts('ovs/services').flatMap(({causedBy}) => causedBy ?? []);
  };
  const waiting = (reason: string) => (status: Raw) => {
    Object.assign(status.containerStatuses[0], {ready: false, state: {waiting: {reason}}});
  };

  it.each(['ErrImagePull', 'ImagePullBackOff', 'CreateContainerConfigError', 'InvalidImageName'])(
    'explains that OVS does not run, where it never ran: %s',
    reason => {
      expect(withoutOvs(waiting(reason))).toContain(id);
    },
  );

  it('explains it where an init container never ran, where none has a state yet, and where there is no pod', () => {
    const never = (status: Raw) => {
      status.initContainerStatuses = [{name: 'init', state: {waiting: {reason: 'ErrImagePull'}}}];
    };
    const none = (status: Raw) => {
      status.containerStatuses = [];
    };
    expect(withoutOvs(never)).toContain(id);
    expect(withoutOvs(none)).toContain(id);
    expect(withoutOvs(undefined)).toContain(id);
  });

  it('does not explain it where it has run: OVS is what it lacks', () => {
    expect(withoutOvs(waiting('CrashLoopBackOff'))).not.toContain(id);
    expect(withoutOvs(waiting('NotErrImagePull'))).not.toContain(id);
  });

  it('does not explain it where OVS has services of its own', () => {
    expect(withoutOvs(undefined, false)).not.toContain(id);
  });
});

describe('the service of an agent', () => {
  const hybrid = (change: object, process: boolean, more: object[] = []) =>
    scenario('12-hybrid-overlay-network-missing')
      .node(({sections}) => {
        const service = sections.services.find(({Name}: Raw) => Name === 'hybrid-overlay-node');
        Object.assign(service, {State: 'Stopped', ExitCode: 0}, change);
        sections.services.push(...more);
        sections.processes = sections.processes.filter(({Name}: Raw) => !/hybrid/.test(Name));
        if (process) sections.processes.push({Name: 'hybrid-overlay-node.exe', ProcessId: 5});
      })
      .verdicts(id)[0];

  it('is reported with its state and exit code, and how to start it', () => {
    expect(hybrid({ExitCode: 1067}, false)).toMatchObject({
      outcome: 'fail',
      message: 'Service hybrid-overlay-node of OVN-Kubernetes is stopped.',
      evidence: [{object: 'hybrid-overlay-node', seen: 'Stopped, exit code 1067'}],
      remedy: {steps: ["Start-Service 'hybrid-overlay-node'", expect.anything()]},
    });
    expect(hybrid({}, false)?.evidence[0]?.seen).toBe('Stopped');
    expect(hybrid({Name: 'Hybrid-Overlay-Node'}, false)?.message).toMatch(/^Service Hybrid-Overlay-Node of/);
  });

  it('does not have to run where it is disabled, or something else started the process', () => {
    expect(hybrid({StartMode: 'Disabled'}, false)?.outcome).toBe('pass');
    expect(hybrid({}, true)?.outcome).toBe('pass');
  });

  it('is waited for while it starts', () => {
    const {SystemTime} = scenario('12-hybrid-overlay-network-missing').document.nodes['ocp-win-0']?.sections.os ?? {};
    expect(hybrid({State: 'Start Pending', StartedAt: SystemTime}, false)).toMatchObject({
      outcome: 'unknown',
      message: 'Service hybrid-overlay-node is changing state (Start Pending).',
    });
  });
});

describe('an agent that does not exist', () => {
  it('is reported with its DaemonSet, and how to see why that has no pod', () => {
    expect(onFirst(withoutAgent(flannel()))).toMatchObject({
      outcome: 'fail',
      evidence: [{section: 'processes', object: 'flanneld', seen: null}],
      remedy: {steps: ['kubectl -n kube-flannel describe daemonset kube-flannel-ds-windows-amd64']},
    });
  });

  it('is reported without one, where the cluster has none for Windows', () => {
    const none = withoutAgent(flannel()).removeObjects(
      ({kind, metadata}) => kind === 'DaemonSet' && /windows/.test(metadata.name),
    );
    expect(onFirst(none)?.message).toMatch(
      /^flanneld is not running on this node, neither as a pod nor as a service\.$/,
    );
    expect(onFirst(none)?.remedy).toMatchObject({steps: [expect.stringMatching(/^Install Flannel for Windows/)]});
  });

  it.each(['services', 'processes'])('is undetermined where %s were not read', section => {
    expect(onFirst(withoutAgent(flannel()).without(section))?.outcome).toBe('unknown');
  });
});

describe('an agent with several services', () => {
  const calico = (states: Record<string, string>) =>
    healthy('09-calico-vxlan-healthy')
      .removeObjects(({kind, metadata}) => kind === 'Pod' && /^calico-node-windows/.test(metadata.name))
      .section('services', services => {
        for (const [Name, State] of Object.entries(states)) services.push({Name, State, StartMode: 'Auto'});
      })
      .verdicts(id)
      .find(({node}) => node === 'cal-win-1');

  it('is reported with the one that is stopped, though the other keeps a process', () => {
    expect(calico({CalicoNode: 'Running', CalicoFelix: 'Stopped'})?.message).toMatch(/^Service CalicoFelix .* stopped/);
    expect(calico({CalicoNode: 'Running', CalicoFelix: 'Running'})?.outcome).toBe('pass');
    expect(calico({CalicoNode: 'Stopped', CalicoFelix: 'Stopped'})?.outcome).toBe('pass');
  });
});
