import {describe, expect, test} from 'vitest';
import {isEvictable, leakedEndpoints, localEndpoints, ownerOf} from '../../../src/repair/node/endpoint-owners.js';
import type {Pod} from '../../../src/snapshot/cluster.js';
import type {Raw} from '../../checks/support.js';
import {but} from '../scenes.js';
import {type Patient, patient} from '../support.js';

// Only what certainly has no owner may be removed.

const id = '22222222-3333-4444-5555-666666666666';
const container = 'ff'.repeat(32);
/** FILETIME of a moment, as HNS reports the creation of an endpoint. */
const filetime = (ms: number) => (ms + 11_644_473_600_000) * 10_000;
const {now} = patient('01-antrea-healthy').subject();
const minutes = 60_000;
const lately = filetime(now - 60 * minutes);
const endpoint = {
  ID: id,
  Name: 'left-1a2b3c',
  VirtualNetwork: '372010D4-4E79-496C-8E2A-A800E56A9688',
  IPAddress: '10.124.1.99',
  State: 3,
  SharedContainers: [container],
  CreateProcessingStartTime: lately,
};

function withEndpoint(rest: object = {}, change: (scene: Patient) => void = () => {}) {
  const scene = but(patient('01-antrea-healthy'), node => node.sections.hnsEndpoints.push({...endpoint, ...rest}));
  change(scene);
  const subject = scene.subject();
  const found = subject.node.hnsEndpoints?.find(its => its.id === id);
  if (!found) throw new Error('the endpoint was not read');
  return {subject, found};
}

function owner(rest: object = {}, change?: (scene: Patient) => void): string {
  const {subject, found} = withEndpoint(rest, change);
  const its = ownerOf(subject, found);
  return its.kind === 'unclear' ? its.why : its.kind === 'pod' ? its.pod.metadata.name : its.kind;
}

const pod = (change: (object: Raw) => void) => (scene: Patient) => {
  scene.scenario.object('Pod', /^storefront/, change);
};

test('an old endpoint without a pod has no owner', () => {
  expect(owner()).toBe('nobody');
});

describe('an endpoint belongs to a pod', () => {
  test('by its address', () => {
    expect(owner({IPAddress: '10.124.1.14'})).toMatch(/^storefront/);
  });

  test('by its container, if it has another address', () => {
    const runs = (containerID: string | undefined) =>
      pod(object => {
        object.status.containerStatuses = [{name: 'sidecar'}, {name: 'main', containerID}];
      });
    expect(owner({}, runs(`containerd://${container}`))).toMatch(/^storefront/);
    expect(owner({}, runs(`containerd://${'ee'.repeat(32)}`))).toBe('nobody');
    expect(owner({SharedContainers: ['']}, runs('containerd://'))).toBe('nobody');
    expect(owner({}, runs(undefined))).toBe('nobody');
  });

  test.each([
    ['Running', true],
    ['Succeeded', false],
    ['Failed', false],
  ])('that runs or has completed: %s', (phase, running) => {
    const {subject, found} = withEndpoint(
      {IPAddress: '10.124.1.14'},
      pod(object => {
        object.status.phase = phase;
      }),
    );
    expect(ownerOf(subject, found)).toMatchObject({kind: 'pod', running});
  });
});

describe('an endpoint belongs to the node', () => {
  test('by an address of one of its adapters, or by its compartment', () => {
    expect(owner({IPAddress: '10.124.1.1'})).toBe('host');
  });

  test('if it is the source VIP of kube-proxy: never attached, by name or by use in a load balancer', () => {
    const unattached = {State: 1, SharedContainers: []};
    const used = (scene: Patient) => {
      but(scene, node => {
        node.sections.hnsPolicyLists = [
          {
            ID: '44444444-3333-4444-5555-666666666666',
            Policies: [{Type: 'ELB', SourceVIP: '10.124.1.99', VIPs: ['10.96.0.10']}],
            References: [],
          },
        ];
      });
    };
    expect(owner({...unattached, Name: 'Ethernet'})).toBe('host');
    expect(owner({...unattached, Name: 'ethernet', State: undefined})).toBe('host');
    expect(owner(unattached, used)).toBe('host');
    expect(owner(unattached)).toBe('nobody');
    expect(owner({...unattached, IPAddress: '10.124.1.98'}, used)).toBe('nobody');
    expect(owner({Name: 'Ethernet', SharedContainers: []})).toBe('nobody');
    expect(owner({Name: 'Ethernet', State: 1})).toBe('nobody');
  });
});

describe('the owner of an endpoint is unknown', () => {
  test('if not all pods were read', () => {
    expect(
      owner({}, scene => {
        delete scene.scenario.document.cluster.lists;
      }),
    ).toBe('it is unknown whether all pods were read');
  });

  const waits = (object: Raw) => {
    delete object.status.podIP;
    delete object.status.podIPs;
  };

  test('while a pod without an address may be its owner', () => {
    expect(owner({}, pod(waits))).toMatch(/^pod shop\/storefront-.* has no address yet$/);
  });

  test('while a pod in the host network may be its owner', () => {
    const onHost = (object: Raw) => {
      object.spec.hostNetwork = true;
    };
    expect(owner({}, pod(onHost))).toMatch(/has no address yet$/);
    expect(
      owner(
        {},
        pod(object => {
          onHost(object);
          object.status.phase = 'Failed';
        }),
      ),
    ).toBe('nobody');
  });

  test('if it may be attached and its age is unknown', () => {
    expect(owner({CreateProcessingStartTime: undefined})).toBe('its age is unknown');
    expect(owner({CreateProcessingStartTime: undefined, State: 2})).toBe('its age is unknown');
    expect(owner({CreateProcessingStartTime: undefined, State: undefined})).toBe('its age is unknown');
    expect(owner({CreateProcessingStartTime: undefined, State: 1})).toBe('nobody');
  });

  test('in its first ten minutes', () => {
    expect(owner({CreateProcessingStartTime: filetime(now - 10 * minutes + 1)})).toBe('it is less than 10 minutes old');
    expect(owner({CreateProcessingStartTime: filetime(now - 10 * minutes)})).toBe('nobody');
  });

  test('but not if it was left by an earlier boot and is not attached', () => {
    const before = filetime(Date.parse('2020-01-01T00:00:00Z'));
    const created = (date: string) =>
      pod(object => {
        waits(object);
        object.metadata.creationTimestamp = date;
      });
    const old = created('2019-01-01T00:00:00Z');
    expect(owner({CreateProcessingStartTime: before, State: 1}, old)).toBe('nobody');
    expect(owner({CreateProcessingStartTime: before}, old)).toMatch(/has no address yet$/);
    expect(owner({CreateProcessingStartTime: lately, State: 1}, old)).toMatch(/has no address yet$/);
    expect(owner({CreateProcessingStartTime: undefined, State: 1}, old)).toMatch(/has no address yet$/);
    expect(
      owner({CreateProcessingStartTime: before, State: 1}, scene => {
        old(scene);
        scene.scenario.without('os');
      }),
    ).toMatch(/has no address yet$/);
  });
});

describe('leaked endpoints', () => {
  const leaks = (rest: object, change?: (scene: Patient) => void) =>
    leakedEndpoints(withEndpoint(rest, change).subject).map(({name}) => name);

  test('are on the pod network, or on a network that no longer exists', () => {
    expect(leaks({})).toEqual(['left-1a2b3c']);
    expect(leaks({VirtualNetwork: '99999999-4e79-496c-8e2a-a800e56a9688'})).toEqual(['left-1a2b3c']);
    expect(leaks({VirtualNetwork: '3BF8BFEF-4D7E-4FA4-8ADB-8E600FBC26E2'})).toEqual([]);
    expect(leaks({VirtualNetwork: undefined})).toEqual([]);
  });

  test('are not reported if the networks were not read: all would seem to have none', () => {
    expect(leaks({}, scene => scene.scenario.without('hnsNetworks'))).toEqual([]);
  });

  test('are never remote endpoints', () => {
    expect(leaks({IsRemoteEndpoint: true})).toEqual([]);
  });
});

test('endpoints without a network have none', () => {
  const {subject} = withEndpoint({VirtualNetwork: undefined});
  const all = localEndpoints(subject, subject.node.hnsNetworks ?? []);
  expect(all.length).toBeGreaterThan(0);
  expect(all.map(({name}) => name)).not.toContain('left-1a2b3c');
});

test.each([
  [['ReplicaSet'], false, true],
  [['DaemonSet'], true, false],
  [['Node'], true, false],
  [['ReplicaSet', 'DaemonSet'], true, false],
  [[], false, false],
  [[], true, true],
])('a drain of a pod that %j creates, force %s: %s', (kinds, force, evicted) => {
  const its = {metadata: {ownerReferences: kinds.map(kind => ({kind}))}} as unknown as Pod;
  expect(isEvictable(its, force)).toBe(evicted);
});
