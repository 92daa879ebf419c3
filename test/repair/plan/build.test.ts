import {describe, expect, test} from 'vitest';
import {checkedNode} from '../../../src/diagnose/engine.js';
import {plan as nodeSchema} from '../../../src/model/plan.js';
import {nodePlan, repairPlan} from '../../../src/model/repair-plan.js';
import {caseNames, expectation, Scenario, scenario} from '../../checks/support.js';
import {withoutOverride} from '../../fixtures/crashing-agent.js';
import {flannelAfterReboot} from '../scenes.js';
import {failing, order, Patient, passing, patient} from '../support.js';

/** The result of each case with the real checks. */
const outcomes: Record<string, string> = {
  '02-antrea-after-reboot': 'medium',
  '03-antrea-ovs-extension-off': 'medium',
  '08-flannel-host-gw-after-reboot': 'medium',
  '10-calico-wrong-management-ip': 'refused',
  '11-azure-cni-after-reboot': 'medium',
  '12-hybrid-overlay-network-missing': 'refused',
  '14-hns-not-answering': 'refused',
};

describe.each(caseNames)('%s', name => {
  const scene = patient(name);
  const nodes = Object.keys(scene.scenario.document.nodes);

  test.each(nodes)(`on %s has the expected result: ${outcomes[name] ?? 'nothing'}`, node => {
    const here = new Patient(scene.scenario, node);
    const outcome = here.outcome();
    const isHealthyPeer = name === '08-flannel-host-gw-after-reboot' && node === 'hg-win-2';
    const wanted = isHealthyPeer ? 'nothing' : (outcomes[name] ?? 'nothing');
    expect(outcome.kind === 'plan' ? outcome.plan.level : outcome.kind).toBe(wanted);
  });

  if (expectation(name).mustFail.length === 0) {
    test('is healthy: there is nothing to do, and the output says so', () => {
      const outcome = patient(name).outcome();
      expect(outcome).toEqual({
        kind: 'nothing',
        why: expect.stringContaining('has no problem that cleanup can repair'),
      });
    });
  }
});

describe('the level', () => {
  const scene = () => patient('01-antrea-healthy');

  test('is the mildest that can work', () => {
    expect(scene().plan({}, [failing('ovs/gateway-port')]).level).toBe('soft');
    expect(scene().plan({drain: true}, [failing('ovs/gateway-port'), failing('hns/subnet')]).level).toBe('hard');
  });

  test('depends on the causes, not on what they explain', () => {
    const results = [failing('ovs/gateway-port'), failing('net/node-ip-owner', {causedBy: ['ovs/gateway-port']})];
    const plan = scene().plan({}, results);
    expect(plan.level).toBe('soft');
    expect(plan.repairs).toEqual(['net/node-ip-owner', 'ovs/gateway-port']);
  });

  test('can be given; what it does not repair is reported', () => {
    const results = [failing('ovs/gateway-port'), failing('hns/subnet')];
    const plan = scene().plan({level: 'soft'}, results);
    expect(plan.level).toBe('soft');
    expect(plan.repairs).toEqual(['ovs/gateway-port']);
    expect(plan.notes).toEqual(['hns/subnet is not repaired by this plan: it needs --level=hard.']);
  });

  test('that repairs none of the findings is refused, with the one that does', () => {
    const outcome = scene().outcome({level: 'soft'}, [failing('hns/subnet')]);
    expect(outcome).toMatchObject({kind: 'refused', reasons: [{next: 'They require --level=hard.'}]});
  });

  test('on a healthy node does nothing, unless forced', () => {
    expect(scene().outcome({level: 'soft'}, []).kind).toBe('nothing');
    expect(order(scene().plan({level: 'soft', force: true}, []))).toEqual(['pod.delete antrea-agent-windows-kfkbc']);
    expect(scene().outcome({level: 'auto', force: true}, []).kind).toBe('nothing');
  });

  test('is lowered to soft if a medium repair would do nothing more', () => {
    const scene = patient('06-flannel-overlay-healthy', 'fl-win-a');
    expect(scene.plan({}, [failing('cluster/rebooted')]).level).toBe('soft');
  });
});

describe('a plan', () => {
  test('restarts kube-proxy only if its load balancers are removed or wrong', () => {
    const scene = patient('06-flannel-overlay-healthy', 'fl-win-a');
    expect(order(scene.plan({}, [failing('tunnel/vtep-mac')]))).toEqual([
      'pod.delete kube-flannel-ds-windows-amd64-2bchx',
    ]);
    expect(order(scene.plan({}, [failing('kube-proxy/older-than-hns')]))).toEqual([
      'pod.delete kube-proxy-windows-znmx9',
    ]);
  });

  test('restarts nothing for leases alone', () => {
    const scene = flannelAfterReboot();
    const plan = scene.plan({}, [failing('cni/host-local-leases')]);
    expect(plan.after).toEqual([]);
    expect(new Set(plan.steps.map(step => step.do))).toEqual(new Set(['file.remove']));
  });

  test('is the same for the same snapshot, except its ID and time', () => {
    const one = flannelAfterReboot().plan({}, [failing('hns/network-present')]);
    const other = flannelAfterReboot().plan(
      {id: '11111111-2222-4333-8444-555555555555', now: new Date('2027-01-01T00:00:00Z')},
      [failing('hns/network-present')],
    );
    expect({...other, id: one.id, createdAt: one.createdAt, hash: one.hash}).toEqual(one);
    expect(other.id).not.toBe(one.id);
  });

  test('survives a round trip through a file, and the node accepts its node part', () => {
    const plan = patient('01-antrea-healthy').plan({level: 'hard', force: true}, []);
    expect(repairPlan.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
    expect(() => nodeSchema.parse(nodePlan(plan))).not.toThrow();
  });

  test('has no node part if the client does everything', () => {
    const plan = patient('06-flannel-overlay-healthy', 'fl-win-a').plan({}, [failing('tunnel/vtep-mac')]);
    expect(nodePlan(plan)).toBeUndefined();
  });

  test('opens the firewall only for what no rule allows', () => {
    const results = [
      failing('net/firewall', {
        evidence: [
          {section: 'firewall', object: 'UDP 4789', seen: null},
          {section: 'firewall', object: 'Corporate block rule', seen: 'Block'},
        ],
      }),
    ];
    const plan = patient('06-flannel-overlay-healthy', 'fl-win-a').plan({}, results);
    expect(plan.steps.map(step => step.with)).toEqual([
      {name: 'kubectl-win-UDP-4789', displayName: 'kubectl win: UDP 4789', protocol: 'UDP', port: 4789},
    ]);
  });

  test('unbinds a NIC from a switch that no longer exists, under the reachability check', () => {
    const results = [
      failing('net/orphan-switch-binding', {evidence: [{section: 'adapterBindings', object: 'Ethernet0', seen: true}]}),
    ];
    const plan = patient('02-antrea-after-reboot').plan({}, results);
    expect(order(plan)).toContain('! adapter.setBinding Ethernet0');
    expect(plan.deadMan).toBeDefined();
  });

  test('adds the route to the metadata service through the gateway', () => {
    const plan = patient('06-flannel-overlay-healthy', 'fl-win-a').plan({}, [failing('net/metadata-route')]);
    expect(plan.steps.map(step => step.with)).toEqual([
      {destination: '169.254.169.254/32', nextHop: '10.90.12.1', adapter: 'vEthernet (Ethernet)'},
    ]);
  });

  test('restarts HNS if it has run out of threads: pods may lose their endpoints, so they block', () => {
    const scene = patient('06-flannel-overlay-healthy', 'fl-win-a');
    expect(scene.reasons({}, [failing('hns/threads')])).toEqual([expect.stringContaining('would lose their network')]);
    expect(order(scene.plan({force: true}, [failing('hns/threads'), passing('hns/responds')]))).toContain(
      '! service.restart hns',
    );
  });
});

describe('a finding about the whole cluster', () => {
  const scene = () =>
    new Patient(new Scenario(JSON.parse(withoutOverride(JSON.stringify(scenario('01-antrea-healthy').document)))));
  const checked = () => checkedNode(scene().subject());

  test('that explains everything a plan would repair must be repaired first', () => {
    const {results, ofCluster} = checked();
    const outcome = scene().outcome({ofCluster}, [...results]);
    expect(outcome).toMatchObject({
      kind: 'refused',
      reasons: [
        {reason: expect.stringMatching(/^cni\/api-server-override concerns the whole cluster/), forcible: true},
      ],
    });
    expect(scene().plan({ofCluster, force: true}, [...results]).notes).toContainEqual(
      expect.stringMatching(/^cni\/api-server-override concerns the whole cluster and is not repaired/),
    );
  });

  test('does not block the rest', () => {
    const {results, ofCluster} = checked();
    const others = [...results, failing('hns/leaked-endpoints', {evidence: []})];
    expect(scene().outcome({ofCluster}, others).kind).not.toBe('refused');
  });
});
