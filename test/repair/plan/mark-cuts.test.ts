import {describe, expect, test} from 'vitest';
import {ovsExtension} from '../../../src/checks/ovs/extension-ids.js';
import type {PlanStep} from '../../../src/model/step.js';
import {markCuts} from '../../../src/repair/plan/mark-cuts.js';
import {but, drop, setService} from '../scenes.js';
import {type Patient, patient} from '../support.js';

const antrea = () => patient('01-antrea-healthy');
const flannel = () => patient('06-flannel-overlay-healthy', 'fl-win-a');
const hostGw = () => patient('08-flannel-host-gw-after-reboot', 'hg-win-2');

function cuts(scene: Patient, ...steps: PlanStep[]): boolean[] {
  return markCuts(scene.subject(), {steps, remakes: []}).steps.map(step => step.cuts ?? false);
}

function remove(scene: Patient, name: string): PlanStep {
  const network = scene.subject().node.hnsNetworks?.find(candidate => candidate.name === name);
  return {do: 'hns.removeNetwork', with: {id: network?.id ?? '', name}};
}

describe('a step cuts', () => {
  test('when it removes the last network on the switch that carries the node address', () => {
    expect(cuts(hostGw(), remove(hostGw(), 'cbr0'))).toEqual([true]);
    expect(cuts(flannel(), remove(flannel(), 'flannel.4096'))).toEqual([false]);
    expect(cuts(flannel(), remove(flannel(), 'flannel.4096'), remove(flannel(), 'External'))).toEqual([false, true]);
    expect(cuts(flannel(), remove(flannel(), 'nat'))).toEqual([false]);
  });

  test('if the switch of a network is unknown', () => {
    const vague = () =>
      but(
        flannel(),
        node => {
          for (const row of node.sections.hnsNetworks) delete row.LayeredOn;
        },
        'fl-win-a',
      );
    expect(cuts(vague(), remove(vague(), 'flannel.4096'))).toEqual([true]);
  });

  test('if no adapter is known to have the address', () => {
    const lost = () =>
      but(
        flannel(),
        node => {
          node.sections.netIPAddresses = [];
        },
        'fl-win-a',
      );
    expect(cuts(lost(), remove(lost(), 'flannel.4096'), {do: 'ip.renew', with: {adapter: 'Ethernet'}})).toEqual([
      true,
      true,
    ]);
  });

  test('when it removes the switch, its management adapter or the binding of its NIC, and not others', () => {
    expect(
      cuts(
        antrea(),
        {do: 'vnic.remove', with: {switchName: 'antrea-hnsnetwork', name: 'antrea-gw0'}},
        {do: 'vnic.remove', with: {switchName: 'antrea-hnsnetwork', name: 'br-int'}},
      ),
    ).toEqual([false, true]);
    expect(
      cuts(
        antrea(),
        {do: 'vswitch.remove', with: {name: 'nat'}},
        {do: 'vswitch.remove', with: {name: 'antrea-hnsnetwork'}},
      ),
    ).toEqual([false, true]);
    const binding = (adapter: string): PlanStep => ({
      do: 'adapter.setBinding',
      with: {adapter, componentId: 'vms_pp', enabled: false},
    });
    expect(cuts(patient('04-kube-ovn-healthy'), binding('Ethernet0'), binding('Ethernet1'))).toEqual([false, true]);
  });

  test('when it stops ovs-vswitchd while the extension is enabled, and not while it is disabled', () => {
    const stop: PlanStep = {do: 'service.stop', with: {name: 'ovs-vswitchd'}};
    expect(cuts(antrea(), stop)).toEqual([true]);
    expect(cuts(patient('03-antrea-ovs-extension-off'), stop)).toEqual([false]);
    const off: PlanStep = {
      do: 'vswitch.setExtension',
      with: {switchName: 'antrea-hnsnetwork', extensionId: ovsExtension, enabled: false},
    };
    expect(cuts(antrea(), off, stop)).toEqual([true, false]);
  });

  test('when it stops the database under ovs-vswitchd', () => {
    expect(cuts(antrea(), {do: 'service.restart', with: {name: 'ovsdb-server'}})).toEqual([true]);
  });

  test('when it deletes the bridge that carries the packets of the node', () => {
    const deletes = (bridge: string): PlanStep => ({do: 'ovs.deleteBridge', with: {bridge}});
    expect(cuts(patient('04-kube-ovn-healthy'), deletes('br-int'), deletes('br-provider'))).toEqual([false, true]);
    expect(cuts(patient('02-antrea-after-reboot'), deletes('br-int'))).toEqual([false]);
  });

  test('when the agent that it starts must create the switch, with everything that waits for it', () => {
    const scene = but(patient('02-antrea-after-reboot'), node => setService(node, 'antrea-agent', {}));
    const steps: PlanStep[] = [
      {do: 'wait.until', with: {until: 'service', name: 'ovs-vswitchd', state: 'Running'}},
      {do: 'service.start', with: {name: 'antrea-agent'}},
      {do: 'wait.until', with: {until: 'hnsNetwork', name: 'antrea-hnsnetwork', present: true}},
      {do: 'service.restart', with: {name: 'ovs-vswitchd'}},
    ];
    expect(cuts(scene, ...steps)).toEqual([false, true, true, false]);
    expect(cuts(antrea(), ...steps.slice(1, 3))).toEqual([false, false]);
  });

  test('when it changes the node address', () => {
    const renew = (adapter: string): PlanStep => ({do: 'ip.renew', with: {adapter}});
    expect(cuts(patient('04-kube-ovn-healthy'), renew('Ethernet1'), renew('Ethernet0'))).toEqual([true, false]);
    expect(cuts(antrea(), {do: 'ip.restore', with: {from: 'br-int', to: 'Ethernet0'}})).toEqual([true]);
  });

  test('when it restarts HNS itself', () => {
    expect(
      cuts(
        flannel(),
        {do: 'service.restart', with: {name: 'hns'}},
        {do: 'service.restart', with: {name: 'kube-proxy'}},
      ),
    ).toEqual([true, false]);
  });

  test('by what it does, regardless of what the plan says', () => {
    const scene = but(flannel(), node => drop(node, 'hnsNetworks', row => row.Name === 'External'), 'fl-win-a');
    const claimed = {...remove(scene, 'flannel.4096'), cuts: false} as PlanStep;
    expect(cuts(scene, claimed)).toEqual([true]);
    expect(cuts(scene, {do: 'file.remove', with: {path: 'C:\\k\\x'}, cuts: true})).toEqual([false]);
  });
});
