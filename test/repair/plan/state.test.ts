import {describe, expect, test} from 'vitest';
import {planHash, type RepairPlan} from '../../../src/model/repair-plan.js';
import {review} from '../../../src/repair/plan/review-plan-file.js';
import {differences, stateBehind} from '../../../src/repair/plan/state-behind-plan.js';
import {but, calicoAfterReboot, drop, flannelAfterReboot, setFile, setService} from '../scenes.js';
import {failing, type Patient, patient} from '../support.js';

const flannelPlan = () =>
  flannelAfterReboot().plan({}, [failing('hns/network-present'), failing('cni/host-local-leases')]);
const hardPlan = () => patient('01-antrea-healthy').plan({level: 'hard', force: true}, []);

describe('the state that a plan depends on', () => {
  test('is shown to the user', () => {
    expect(flannelPlan().state).toMatchObject({
      'network plugin': 'flannel vxlan',
      'file C:\\sourcevip\\sourceVip.json': 'written 2025-01-01T00:00:00.000Z',
      'pod kube-flannel/kube-flannel-ds-windows-amd64-2bchx': 'on fl-win-a',
    });
    expect(hardPlan().state).toMatchObject({
      'HNS endpoint storefro-b7c588': '10.124.1.14, state 3, of pod shop/storefront-s949w5skg-hg6j7',
      'address of the node': '10.21.40.61/24 on br-int over Ethernet0, leased, gateway 10.21.40.1',
      'service ovs-vswitchd': 'Running',
    });
  });

  test('has one hash for any order of the plan', () => {
    const plan = hardPlan();
    const reversed = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(reversed)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([key, its]) => [key, reversed(its)]),
            )
          : value;
    expect(planHash(plan)).toBe(plan.hash);
    expect(planHash(reversed(plan) as RepairPlan)).toBe(plan.hash);
  });

  test('does not include what the plan does not change', () => {
    const plan = flannelPlan();
    const later = but(
      flannelAfterReboot(),
      node => {
        setService(node, 'spooler', {State: 'Stopped'});
        setFile(node, 'C:\\var\\lib\\cni\\networks\\flannel.4096\\10.244.1.9', {Content: 'aa\r\neth0'});
        node.sections.events = [];
        node.sections.os.SystemTime = '2026-03-04T10:00:00+01:00';
      },
      'fl-win-a',
    );
    expect(review(plan, later.subject())).toEqual({kind: 'ready'});
  });
});

describe('a plan from a file', () => {
  const moved = (plan: RepairPlan, now: Patient, force = false) => {
    const outcome = review(plan, now.subject(), {force});
    return outcome.kind === 'changed' ? outcome.differences : outcome;
  };

  test('runs on the state it was created for', () => {
    expect(review(flannelPlan(), flannelAfterReboot().subject())).toEqual({kind: 'ready'});
  });

  test('is refused if a network is back, with what changed', () => {
    expect(moved(flannelPlan(), patient('06-flannel-overlay-healthy', 'fl-win-a'))).toContainEqual(
      expect.stringMatching(/^HNS network flannel\.4096: was missing, is Overlay, d6c45481/),
    );
  });

  test('is refused after a reboot, and after the agent was restarted', () => {
    const later = flannelAfterReboot();
    but(
      later,
      node => {
        node.sections.os.LastBootUpTime = '2026-03-04T09:40:00+01:00';
      },
      'fl-win-a',
    );
    later.scenario.object('Pod', 'kube-flannel-ds-windows-amd64-2bchx', object => {
      object.metadata.name = 'kube-flannel-ds-windows-amd64-zzzzz';
    });
    expect(moved(flannelPlan(), later)).toEqual([
      'boot: was 2026-03-04T08:32:33.000Z, is 2026-03-04T08:40:00.000Z',
      'pod kube-flannel/kube-flannel-ds-windows-amd64-2bchx: was on fl-win-a, is missing',
    ]);
  });

  test('is refused if a new pod would lose its network', () => {
    const later = but(patient('01-antrea-healthy'), node => {
      const [first] = node.sections.hnsEndpoints;
      node.sections.hnsEndpoints.push({
        ...first,
        ID: '44444444-3333-4444-5555-666666666666',
        Name: 'new-a1b2c3',
        IPAddress: '10.124.1.20',
      });
    });
    expect(moved(hardPlan(), later, true)).toEqual([
      expect.stringMatching(/^HNS endpoint new-a1b2c3: was missing, is 10\.124\.1\.20/),
    ]);
  });

  test('is refused if a new pod is on a network that the agent removes', () => {
    const plan = calicoAfterReboot().plan({}, [failing('cni/calico-boot-time')]);
    const later = but(
      calicoAfterReboot(),
      node => {
        const host = node.sections.hnsEndpoints.find(({Name}: {Name: string}) => Name === 'Calico_ep');
        node.sections.hnsEndpoints.push({
          ...host,
          ID: '55555555-3333-4444-5555-666666666666',
          Name: 'new_Calico',
          IPAddress: '10.48.73.140',
          IsRemoteEndpoint: false,
          State: 3,
        });
      },
      'cal-win-1',
    );
    expect(moved(plan, later)).toEqual([expect.stringContaining('HNS endpoint new_Calico: was missing')]);
  });

  test('is refused if the node address moved', () => {
    const later = but(patient('01-antrea-healthy'), node => {
      for (const row of node.sections.netIPAddresses) if (row.InterfaceAlias === 'br-int') row.PrefixOrigin = 'Manual';
    });
    expect(moved(hardPlan(), later, true)).toEqual([
      expect.stringMatching(/^address of the node: was .*leased.*, is .*static/),
    ]);
  });

  test('is refused on another node, and without --force if it was forced', () => {
    expect(review(hardPlan(), patient('03-antrea-ovs-extension-off').subject())).toMatchObject({kind: 'refused'});
    expect(review(hardPlan(), patient('01-antrea-healthy').subject())).toMatchObject({
      kind: 'refused',
      reasons: [{reason: expect.stringContaining('--force')}],
    });
    expect(review(hardPlan(), patient('01-antrea-healthy').subject(), {force: true})).toEqual({kind: 'ready'});
  });

  test('is refused if its state was changed manually', () => {
    const plan = flannelPlan();
    const changed = {...plan, state: {...plan.state, boot: 'some other time'}};
    expect(review(changed, flannelAfterReboot().subject())).toMatchObject({
      kind: 'refused',
      reasons: [{reason: expect.stringContaining('does not match its hash')}],
    });
  });

  test.each<[string, (plan: RepairPlan) => Partial<RepairPlan>]>([
    ['a step of the node', plan => ({steps: [...plan.steps, ...plan.steps.slice(0, 1)]})],
    ['a step of the client', plan => ({after: [...plan.after, {do: 'node.uncordon', with: {node: plan.node}}]})],
    ['a step taken out', plan => ({steps: plan.steps.slice(1)})],
    ['a parameter', plan => ({steps: plan.steps.map(step => ({...step, timeoutSeconds: 7}))})],
    ['the order', plan => ({steps: plan.steps.toReversed()})],
    ['the reachability check', () => ({deadMan: {address: '10.0.0.1', apiServer: 'a:1', withinSeconds: 1}})],
    ['the losses', () => ({loses: [{namespace: 'a', pod: 'b', endpoint: 'c'}]})],
    ['--force', plan => ({forced: !plan.forced})],
    ['its words', () => ({title: 'harmless'})],
  ])('is refused if something else was changed: %s', (_, change) => {
    const plan = flannelPlan();
    expect(review({...plan, ...change(plan)}, flannelAfterReboot().subject(), {force: true})).toMatchObject({
      kind: 'refused',
      reasons: [{reason: expect.stringContaining('does not match its hash')}],
    });
  });

  test('is refused if a step of the client was added that it may not run, with any hash', () => {
    const scene = patient('06-flannel-overlay-healthy', 'fl-win-a');
    const plan = scene.plan({level: 'soft', force: true}, []);
    const forged = (change: Partial<RepairPlan>) => {
      const parts = {...plan, forced: false, ...change};
      const whole = {...parts, state: stateBehind(scene.subject(), parts)};
      const verdict = review({...whole, hash: planHash(whole)}, scene.subject());
      return verdict.kind === 'refused' ? verdict.reasons.map(({reason}) => reason) : [verdict.kind];
    };
    const pods = (scene.subject().cluster?.all('Pod') ?? []).filter(({spec}) => spec.nodeName === 'fl-win-a');
    const tenant = pods.find(
      ({metadata}) => metadata.namespace !== 'kube-flannel' && metadata.namespace !== 'kube-system',
    );
    expect(tenant).toBeDefined();
    const {namespace = '', name = ''} = tenant?.metadata ?? {};
    expect(forged({after: [{do: 'pod.delete', with: {namespace, name, awaits: false}}]})).toEqual([
      `Pod ${namespace}/${name} is not an agent of fl-win-a and does not lose its network, so it is not deleted.`,
    ]);
    expect(forged({after: [{do: 'node.drain', with: {node: 'fl-win-a', force: false}}]})).toEqual([
      'node.drain must not run after the steps of the node.',
    ]);
    expect(forged({before: [{do: 'node.drain', with: {node: 'fl-win-a', force: true}}]})).toEqual([
      'Only a plan created with --force may evict pods that have no controller.',
    ]);
    expect(forged({before: [{do: 'node.drain', with: {node: 'fl-win-b', force: false}}]})).toEqual([
      'The plan is for fl-win-a, but a step is for fl-win-b.',
    ]);
  });

  test('is refused if a pod would lose its network that the plan does not list, with any hash', () => {
    const plan = hardPlan();
    expect(plan.loses.length).toBeGreaterThan(0);
    const silent = {...plan, loses: []};
    expect(
      review({...silent, hash: planHash(silent)}, patient('01-antrea-healthy').subject(), {force: true}),
    ).toMatchObject({
      kind: 'refused',
      reasons: plan.loses.map(() => ({
        reason: expect.stringContaining('would lose its network, but the plan does not list it'),
      })),
    });
  });

  test('must list each of them, by namespace and name', () => {
    const plan = hardPlan();
    const [first, second] = plan.loses;
    if (!first || !second) throw new Error('the plan loses no two pods');
    const reviewed = (loses: RepairPlan['loses']) => {
      const changed = {...plan, loses};
      const outcome = review({...changed, hash: planHash(changed)}, patient('01-antrea-healthy').subject(), {
        force: true,
      });
      return outcome.kind === 'refused' ? outcome.reasons.map(({reason}) => reason) : [];
    };
    const silent = `Pod ${second.namespace}/${second.pod} would lose its network, but the plan does not list it.`;
    expect(reviewed([first])).toEqual([silent]);
    expect(reviewed([first, {...second, namespace: 'other'}])).toEqual([silent]);
    expect(reviewed([first, {...second, pod: 'other'}])).toEqual([silent]);
    expect(reviewed([second, first])).toEqual([]);
  });

  test('may omit only pods that its drain evicts', () => {
    const scene = patient('01-antrea-healthy');
    const plan = scene.plan({level: 'hard', drain: true}, [failing('hns/subnet')]);
    expect(plan.loses).toEqual([]);
    expect(review(plan, scene.subject())).toEqual({kind: 'ready'});
    const rushed = {...plan, before: plan.before.filter(step => step.do !== 'node.drain')};
    expect(review({...rushed, hash: planHash(rushed)}, scene.subject())).toMatchObject({kind: 'refused'});
  });

  test('says whose it is, and what to do next', () => {
    const other = patient('06-flannel-overlay-healthy', 'fl-win-a').subject();
    expect(review(hardPlan(), other, {force: true})).toMatchObject({
      kind: 'refused',
      reasons: [{reason: 'The plan is for winapp-01, not for fl-win-a.'}],
    });
    expect(review(hardPlan(), patient('01-antrea-healthy').subject())).toMatchObject({reasons: [{forcible: true}]});
    const changed = {...flannelPlan(), title: 'harmless'};
    expect(review(changed, flannelAfterReboot().subject())).toMatchObject({reasons: [{next: 'Create a new plan.'}]});
  });

  test('is refused if a step was added that removes a foreign network, or interrupts without saying so', () => {
    const scene = patient('06-flannel-overlay-healthy', 'fl-win-a');
    const plan = scene.plan({level: 'soft', force: true}, []);
    const forge = (steps: RepairPlan['steps']): RepairPlan => {
      const state = stateBehind(scene.subject(), {...plan, steps});
      return {...plan, steps, state, hash: planHash({...plan, steps, state})};
    };
    const external = forge([
      {do: 'hns.removeNetwork', with: {id: 'ba8fd740-e441-464e-98e9-919fa563a650', name: 'External'}},
    ]);
    expect(review(external, scene.subject(), {force: true})).toMatchObject({
      kind: 'refused',
      reasons: [{reason: 'HNS network External does not belong to Flannel and is not removed.'}],
    });
    const renew = forge([{do: 'ip.renew', with: {adapter: 'Ethernet'}}]);
    expect(review(renew, scene.subject(), {force: true})).toMatchObject({
      kind: 'refused',
      reasons: [{reason: 'Step 1 (ip.renew) interrupts the node network, but the plan does not mark it as a cut.'}],
    });
  });

  test('is refused while another plan is unfinished', () => {
    const later = but(
      flannelAfterReboot(),
      node => {
        node.sections.plans = [{id: '0d4f3a52-6a3b-4f0e-9f41-3f6f0a4f7b11', state: 'failed', steps: 3, done: 1}];
      },
      'fl-win-a',
    );
    expect(review(flannelPlan(), later.subject())).toMatchObject({kind: 'refused'});
  });
});

test('differences are described in words, and there are none between equal states', () => {
  expect(differences({a: '1', b: '2'}, {b: '2', a: '1'})).toEqual([]);
  expect(differences({a: '1', b: '2'}, {b: '3', c: '4'})).toEqual([
    'a: was 1, is missing',
    'b: was 2, is 3',
    'c: was missing, is 4',
  ]);
});

test('two networks with the same name are both reported', () => {
  const scene = but(
    patient('06-flannel-overlay-healthy', 'fl-win-a'),
    node => {
      drop(node, 'hnsNetworks', row => row.Name === 'nat');
      const [external] = node.sections.hnsNetworks;
      node.sections.hnsNetworks.push({...external, ID: '66666666-3333-4444-5555-666666666666'});
    },
    'fl-win-a',
  );
  const state = stateBehind(scene.subject(), {before: [], steps: [], after: [], remakes: []});
  expect(state['HNS network External']).toMatch(/66666666.*; .*ba8fd740/);
});
