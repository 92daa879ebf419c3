import {describe, expect, it} from 'vitest';
import {healthy, type Raw, type Scenario, scenario} from '../support.js';

const id = 'cni/agent-pod';
const pod = 'kube-flannel-ds-windows-amd64-2bchx';
const secondsAgo = (seconds: number) => new Date(Date.parse('2026-03-04T09:02:33Z') - seconds * 1000).toISOString();

/** A node whose agent is not ready, with nothing that says since when it runs. */
function notReady(change: (status: Raw) => void = () => undefined): Scenario {
  return healthy('06-flannel-overlay-healthy')
    .object('Pod', pod, ({status}) => {
      status.conditions.find(({type}: Raw) => type === 'Ready').status = 'False';
      Object.assign(status.containerStatuses[0], {ready: false, state: {running: {}}});
      change(status);
    })
    .section('processes', processes => {
      delete processes.find(({Name}: Raw) => Name === 'flanneld.exe').StartTime;
    });
}

const said = (changed: Scenario) => {
  const found = changed.verdicts(id).find(({node}) => node === 'fl-win-a');
  return found?.outcome === 'info' ? /\((.*?)\)/.exec(found.message)?.[1] : found?.outcome;
};

describe('a node that may still be on its way up', () => {
  const booted = (seconds: number) =>
    notReady().section('os', os => {
      os.LastBootUpTime = secondsAgo(seconds);
    });

  it.each([
    [0, 'the node booted 0 s ago'],
    [119, 'the node booted 119 s ago'],
    [120, 'the node booted 2 min ago'],
    [299, 'the node booted 5 min ago'],
    [300, 'fail'],
    [-40, 'the node booted 0 s ago'],
  ])('is given five minutes after its boot: %i s', (seconds, told) => {
    expect(said(booted(seconds))).toBe(told);
  });

  it.each([
    [20, 'flanneld started 20 s ago'],
    [179, 'flanneld started 3 min ago'],
    [180, 'fail'],
  ])('is given three minutes after the start of its agent: %i s', (seconds, told) => {
    const started = notReady().section('processes', processes => {
      processes.find(({Name}: Raw) => Name === 'flanneld.exe').StartTime = secondsAgo(seconds);
    });
    expect(said(started)).toBe(told);
  });

  it('has had its time where nothing says that it started lately', () => {
    expect(said(notReady())).toBe('fail');
    expect(said(notReady().without('os'))).toBe('fail');
  });
});

describe('the start of an agent', () => {
  const container = (seconds: number | undefined): Raw => ({
    name: `c${seconds}`,
    ready: false,
    restartCount: 0,
    state:
      seconds === undefined ? {waiting: {reason: 'ContainerCreating'}} : {running: {startedAt: secondsAgo(seconds)}},
  });

  it('is that of its latest container, where the process tells none', () => {
    const pods = (...seconds: (number | undefined)[]) =>
      notReady(status => {
        status.containerStatuses = seconds.map(container);
      });
    expect(said(pods(5000, 45, 900))).toBe('flanneld started 45 s ago');
    expect(said(pods(undefined, 45))).toBe('flanneld started 45 s ago');
    expect(said(pods(5000, undefined))).toBe('fail');
    expect(said(pods(undefined))).toBe('fail');
  });

  it('is that of its service, whatever its case, where there is no process', () => {
    const asService = (Name: string, seconds: number) =>
      scenario('12-hybrid-overlay-network-missing').node(({sections}) => {
        sections.processes = sections.processes.filter((process: Raw) => !/hybrid/.test(process.Name));
        const clock = Date.parse(sections.os.SystemTime);
        const service = sections.services.find((each: Raw) => each.Name === 'hybrid-overlay-node');
        Object.assign(service, {Name, StartedAt: new Date(clock - seconds * 1000).toISOString()});
      });
    const told = (changed: Scenario) => changed.verdicts('hns/network-present')[0]?.message;
    expect(told(asService('hybrid-overlay-node', 30))).toMatch(/^Still settling \(.* started 30 s ago\)/);
    expect(told(asService('Hybrid-Overlay-Node', 30))).toMatch(/^Still settling \(.* started 30 s ago\)/);
    expect(told(asService('other', 30))).not.toMatch(/settling/);
    expect(told(asService('hybrid-overlay-node', 5000))).not.toMatch(/settling/);
  });
});

describe('an agent that keeps crashing', () => {
  const crashing = (change: object) =>
    notReady(status => {
      Object.assign(
        status.containerStatuses[0],
        {
          restartCount: 3,
          state: {running: {startedAt: secondsAgo(20)}},
          lastState: {terminated: {exitCode: 1, reason: 'Error'}},
        },
        change,
      );
    });

  it('is not waited for, though it has just started once more', () => {
    expect(said(crashing({}))).toBe('fail');
    expect(said(crashing({restartCount: 4}))).toBe('fail');
  });

  it.each([
    ['has not done so three times', {restartCount: 2}],
    ['does not tell how often', {restartCount: undefined}],
    ['was ended without an error', {lastState: {terminated: {exitCode: 0, reason: 'Completed'}}}],
    ['has no earlier end', {lastState: {}}],
    ['has become ready', {ready: true}],
  ])('is waited for where it %s', (_, change) => {
    expect(said(crashing(change))).toBe('flanneld started 20 s ago');
  });
});

describe('the pod of an agent', () => {
  const other = (change: (pod: Raw) => void) => {
    const changed = healthy('06-flannel-overlay-healthy');
    const own = changed.document.cluster.objects.find(({metadata}) => metadata.name === pod);
    const copy = structuredClone(own);
    copy.metadata.name = 'other';
    copy.status.conditions = [{type: 'Ready', status: 'False'}];
    change(copy);
    changed.document.cluster.objects.unshift(copy);
    return changed.verdicts(id).find(({node}) => node === 'fl-win-a')?.outcome;
  };

  it('is one of its DaemonSet', () => {
    expect(other(() => undefined)).toBe('fail');
    expect(
      other(({metadata}) => {
        metadata.ownerReferences.unshift({kind: 'Pod', name: 'something'});
      }),
    ).toBe('fail');
  });

  it.each([
    [
      'in another namespace',
      ({metadata}: Raw) => {
        metadata.namespace = 'default';
      },
    ],
    [
      'of another DaemonSet',
      ({metadata}: Raw) => {
        metadata.ownerReferences[0].name = 'node-exporter';
      },
    ],
    [
      'of a ReplicaSet with that name',
      ({metadata}: Raw) => {
        metadata.ownerReferences[0].kind = 'ReplicaSet';
      },
    ],
    [
      'of nobody',
      ({metadata}: Raw) => {
        metadata.ownerReferences = [];
      },
    ],
  ])('is not one %s', (_, change) => {
    expect(other(change)).toBe('pass');
  });
});
