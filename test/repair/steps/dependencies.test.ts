import {describe, expect, test} from 'vitest';
import type {NodeSubject} from '../../../src/model/check.js';
import type {ClientStep, PlanStep} from '../../../src/model/step.js';
import {dependenciesOf} from '../../../src/repair/steps/all.js';
import type {RawNode} from '../../checks/support.js';
import {but, drop} from '../scenes.js';
import {patient} from '../support.js';

// What must be unchanged on a node since a plan was created: if one of these differs, the plan is not run.

const antrea = () => patient('01-antrea-healthy');
const subject = antrea().subject();
const state = (step: PlanStep | ClientStep, on: NodeSubject = subject) => Object.fromEntries(dependenciesOf(step, on));
const changed = (change: (node: RawNode) => void) => but(antrea(), change).subject();

const ovsExtension = '583cc151-73ec-4a6a-8b47-578297ad7623';

describe('a step depends on what it changes', () => {
  test('a binding: on, off or missing', () => {
    const set = (adapter: string, componentId: 'vms_pp' | 'ms_tcpip'): PlanStep => ({
      do: 'adapter.setBinding',
      with: {adapter, componentId, enabled: true},
    });
    expect(state(set('ethernet0', 'vms_pp'))).toEqual({'binding vms_pp of ethernet0': 'enabled'});
    expect(state(set('Ethernet0', 'ms_tcpip'))).toEqual({'binding ms_tcpip of Ethernet0': 'disabled'});
    expect(state(set('Ethernet1', 'vms_pp'))).toEqual({'binding vms_pp of Ethernet1': 'missing'});
  });

  test('a route: every route to it, except what a boot restores', () => {
    const add: PlanStep = {
      do: 'route.add',
      with: {destination: '10.124.0.0/24', nextHop: '10.124.0.1', adapter: 'antrea-gw0'},
    };
    const name = 'route 10.124.0.0/24 (on antrea-gw0)';
    expect(state(add)).toEqual({[name]: 'via 10.124.0.1 on antrea-gw0'});
    const route = (NextHop: string, Store: string) => ({
      DestinationPrefix: '10.124.0.0/24',
      NextHop,
      InterfaceAlias: 'br-int',
      InterfaceIndex: 14,
      RouteMetric: 1,
      Store,
    });
    const two = changed(node =>
      node.sections.netRoutes.push(route('10.0.0.9', 'ActiveStore'), route('10.0.0.8', 'PersistentStore')),
    );
    expect(state(add, two)).toEqual({[name]: 'via 10.0.0.9 on br-int, via 10.124.0.1 on antrea-gw0'});
    const none = changed(node => drop(node, 'netRoutes', row => row.DestinationPrefix === '10.124.0.0/24'));
    expect(state(add, none)).toEqual({[name]: 'missing'});
  });

  test('a firewall rule, by its name', () => {
    const allow = (name: string): PlanStep => ({
      do: 'firewall.allow',
      with: {name, displayName: name, protocol: 'TCP', port: 10250},
    });
    expect(state(allow('kubelet'))).toEqual({'firewall rule kubelet': 'enabled'});
    expect(state(allow('kubectl-win-TCP-10250'))).toEqual({'firewall rule kubectl-win-TCP-10250': 'missing'});
    const off = changed(node => {
      for (const rule of node.sections.firewall.Rules) rule.Enabled = rule.Name !== 'kubelet';
    });
    expect(state(allow('kubelet'), off)).toEqual({'firewall rule kubelet': 'disabled'});
  });

  test('a bridge of OVS, with its ports', () => {
    const remove: PlanStep = {do: 'ovs.deleteBridge', with: {bridge: 'BR-INT'}};
    const ports = subject.node.ovs?.bridges.find(({name}) => name === 'br-int')?.ports.map(({name}) => name) ?? [];
    expect(ports.length).toBeGreaterThan(1);
    expect(state(remove)).toEqual({'OVS bridge BR-INT': `ports ${ports.toSorted().join(', ')}`});
    expect(state({do: 'ovs.deleteBridge', with: {bridge: 'br-x'}})).toEqual({'OVS bridge br-x': 'missing'});
    const unread = antrea();
    unread.scenario.without('ovs', {kind: 'AccessDenied', message: 'access denied'});
    expect(state(remove, unread.subject())).toEqual({'OVS bridge BR-INT': 'not read'});
  });

  test('an extension of one switch', () => {
    const set = (switchName: string, extensionId = ovsExtension): PlanStep => ({
      do: 'vswitch.setExtension',
      with: {switchName, extensionId, enabled: true},
    });
    expect(state(set('antrea-hnsnetwork'))).toEqual({
      'extension Open vSwitch Extension on antrea-hnsnetwork': 'enabled',
    });
    expect(state(set('nat'))).toEqual({'extension Open vSwitch Extension on nat': 'disabled'});
    expect(state(set('other'))).toEqual({[`extension ${ovsExtension} on other`]: 'missing'});
  });

  test.each<(name: string) => PlanStep>([
    name => ({do: 'vswitch.remove', with: {name}}),
    name => ({do: 'vnic.remove', with: {switchName: name, name: 'br-int'}}),
  ])('a switch, with its type and its NIC', step => {
    expect(state(step('antrea-hnsnetwork'))).toEqual({
      'switch antrea-hnsnetwork': 'External on vmxnet3 Ethernet Adapter',
    });
    expect(state(step('nat'))).toEqual({'switch nat': 'Internal on no NIC'});
    expect(state(step('gone'))).toEqual({'switch gone': 'missing'});
  });

  test.each(['service.start', 'service.stop', 'service.restart'] as const)('a service: %s', what => {
    expect(state({do: what, with: {name: 'ovs-vswitchd'}})).toEqual({'service ovs-vswitchd': 'Running'});
    expect(state({do: what, with: {name: 'gone'}})).toEqual({'service gone': 'missing'});
  });

  test('a file, by the time it was written', () => {
    const remove = (path: string): PlanStep => ({do: 'file.remove', with: {path}});
    expect(state(remove('c:\\openvswitch\\etc\\openvswitch\\CONF.DB'))).toEqual({
      'file c:\\openvswitch\\etc\\openvswitch\\CONF.DB': 'written 2026-03-03T10:34:07.000Z',
    });
    expect(state(remove('C:\\k\\sourcevip.json'))).toEqual({'file C:\\k\\sourcevip.json': 'missing'});
    const undated = changed(node => node.sections.files.push({Path: 'C:\\k\\sourcevip.json', Exists: true}));
    expect(state(remove('C:\\k\\sourcevip.json'), undated)).toEqual({
      'file C:\\k\\sourcevip.json': 'written unknown',
    });
  });

  test('a registry value', () => {
    const path = 'HKLM:\\Software\\Tigera\\Calico';
    const remove: PlanStep = {do: 'registry.removeValue', with: {path, name: 'LastBootTime'}};
    expect(state(remove)).toEqual({[`registry value ${path}\\LastBootTime`]: 'missing'});
    const there = changed(node =>
      node.sections.registry.push(
        {Path: path, Name: 'Other', Value: 'no'},
        {Path: 'HKLM:\\Software\\Other', Name: 'LastBootTime', Value: 'no'},
        {Path: path.toUpperCase(), Name: 'lastboottime', Value: '20260303'},
      ),
    );
    expect(state(remove, there)).toEqual({[`registry value ${path}\\LastBootTime`]: '20260303'});
  });

  test.each<ClientStep>([
    {do: 'node.cordon', with: {node: 'winapp-01'}},
    {do: 'node.drain', with: {node: 'winapp-01', force: false}},
    {do: 'node.uncordon', with: {node: 'winapp-01'}},
  ])('whether the node is cordoned: $do', step => {
    expect(state(step)).toEqual({'node winapp-01': 'schedulable'});
    const scene = antrea();
    scene.scenario.object('Node', /^winapp-01$/, object => {
      object.spec.unschedulable = true;
    });
    expect(state(step, scene.subject())).toEqual({'node winapp-01': 'cordoned'});
  });
});
