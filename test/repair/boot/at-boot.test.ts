import {describe, expect, test} from 'vitest';
import {type BootOutcome, planForBoots} from '../../../src/repair/boot/at-boot.js';
import {bootPlan} from '../../../src/repair/boot/boot-plan-rules.js';
import {caseNames} from '../../checks/support.js';
import {setService} from '../scenes.js';
import {Patient, patient} from '../support.js';

const now = new Date('2026-03-12T08:00:00Z');
const outcomeOf = (scene: Patient): BootOutcome => planForBoots(scene.subject(), {now, by: 'someone'});

function stepsOf(scene: Patient): string[] {
  const outcome = outcomeOf(scene);
  if (outcome.kind !== 'plan') throw new Error(outcome.why);
  return outcome.plan.steps.map(step => [step.do, ...Object.values(step.with)].join(' '));
}

describe.each(caseNames)('%s', name => {
  const {scenario} = patient(name);

  test.each(Object.keys(scenario.document.nodes))('%s gets a plan that is valid at every boot, or a reason', node => {
    const outcome = outcomeOf(new Patient(scenario, node));
    if (outcome.kind !== 'plan') {
      expect(outcome.why).toMatch(/\S/);
      return;
    }
    expect(bootPlan.parse(outcome.plan)).toEqual(outcome.plan);
    expect(JSON.stringify(outcome.plan.steps)).not.toMatch(/removeNetwork|removeEndpoint|vswitch\.remove/);
  });
});

test('Kube-OVN: the agent is stopped, the rows are deleted, and it recreates the network under the reachability check', () => {
  const steps = stepsOf(patient('04-kube-ovn-healthy'));
  const at = (text: string) => steps.findIndex(step => step.startsWith(text));
  expect(at('service.stop ovn-controller')).toBe(0);
  expect(at('ovs.deleteBridge br-provider')).toBeLessThan(at('service.start ovs-vswitchd'));
  expect(at('service.stop ovs-vswitchd')).toBeLessThan(at('file.remove'));
  expect(at('service.start kube-ovn')).toBeLessThan(at('wait.until hnsNetwork kube-ovn'));
  expect(at('wait.until extension')).toBeLessThan(at('service.start ovn-controller'));
  const outcome = outcomeOf(patient('04-kube-ovn-healthy'));
  expect(outcome).toMatchObject({
    kind: 'plan',
    plan: {
      unless: [{until: 'hnsNetwork', name: 'kube-ovn', present: true}],
      deadMan: {address: expect.any(String), apiServer: expect.any(String)},
      createdBy: 'someone',
    },
  });
});

test('Antrea: OVS is cleaned up and started; its agent in a pod continues by itself', () => {
  expect(stepsOf(patient('01-antrea-healthy'))).toEqual([
    'service.start ovsdb-server',
    'ovs.deleteBridge br-int',
    'service.stop ovs-vswitchd',
    'file.remove C:\\openvswitch\\var\\run\\openvswitch\\ovs-vswitchd.pid',
    'service.start ovs-vswitchd',
  ]);
});

test('Flannel as a service is restarted; in a pod it is left to the kubelet', () => {
  const scene = patient('06-flannel-overlay-healthy');
  expect(outcomeOf(scene)).toMatchObject({kind: 'nothing', why: expect.stringContaining('flanneld is in a pod')});
  const {cluster, nodes} = scene.scenario.document;
  cluster.objects = cluster.objects.filter(
    (object: {kind: string; metadata: {name: string}}) =>
      object.kind !== 'Pod' || !/flannel/.test(object.metadata.name),
  );
  for (const node of Object.values(nodes)) setService(node, 'flanneld', {});
  expect(stepsOf(scene)[0]).toMatch(/^service\.restart flanneld/);
});

test('an unhealthy node gets the same plan as when it was healthy', () => {
  const well = stepsOf(patient('02-antrea-after-reboot'));
  expect(well.filter(step => step.startsWith('ovs.deleteBridge'))).toEqual(['ovs.deleteBridge br-int']);
});

test('what an operator manages, or what needs manual action, is left alone', () => {
  expect(outcomeOf(patient('12-hybrid-overlay-network-missing')).kind).toBe('nothing');
  expect(outcomeOf(patient('13-win-bridge-outbound-nat'))).toMatchObject({
    why: expect.stringContaining('needs manual action'),
  });
});
