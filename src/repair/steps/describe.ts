import {ovsExtension} from '../../checks/ovs/extension-ids.js';
import type {PlanStep} from '../../model/plan.js';
import type {ClientStep} from '../../model/repair-plan.js';

/** A step in a person's words. It is made from the step itself, so that it cannot tell of another one. */
export interface Description {
  /** What it changes. */
  readonly changes: string;
  /** What must hold before it. */
  readonly requires: string;
  /** What must hold after it. */
  readonly verifies: string;
  /** What puts it back; undefined: nothing can, or nothing has to. */
  readonly undo?: string;
}

export function describe(step: PlanStep | ClientStep): Description {
  switch (step.do) {
    case 'ovs.deleteBridge':
      return {
        changes: `Deletes bridge ${step.with.bridge} and its ports from the OVS database.`,
        requires: 'ovsdb-server answers.',
        verifies: 'The database has no such bridge.',
        undo: 'Adds the bridge and its ports again.',
      };
    case 'hns.removeNetwork':
      return {
        changes: `Removes HNS network ${step.with.name}${alongside(step.with.endpoints)}.`,
        requires: 'It has this id and name, and no attached endpoint that the plan does not name.',
        verifies: 'HNS has no network with this id.',
        undo: 'Makes the network again, without its endpoints.',
      };
    case 'hns.removeEndpoint':
      return {
        changes: `Removes HNS endpoint ${step.with.id}.`,
        requires: 'HNS answers.',
        verifies: 'HNS has no endpoint with this id.',
        undo: 'Makes the endpoint again; it is attached to nothing then.',
      };
    case 'hns.removePolicyLists':
      return {
        changes: step.with.ids
          ? `Removes ${count(step.with.ids.length, 'load balancer')} from HNS.`
          : 'Removes all load balancers from HNS.',
        requires: 'HNS answers.',
        verifies: 'HNS has none of them.',
        undo: 'Makes those again whose endpoints are still there.',
      };
    case 'vswitch.remove':
      return {
        changes: `Removes switch ${step.with.name}.`,
        requires: 'No HNS network of its name is left.',
        verifies: 'There is no such switch.',
      };
    case 'vswitch.setExtension': {
      const {switchName, extensionId, enabled} = step.with;
      return {
        changes: `Turns ${enabled ? 'on' : 'off'} ${extensionName(extensionId)} of switch ${switchName}.`,
        requires: 'The switch has this extension.',
        verifies: `It is ${enabled ? 'on' : 'off'}.`,
        undo: 'Turns it as it was.',
      };
    }
    case 'vnic.remove':
      return {
        changes: `Removes the node's virtual adapter ${step.with.name} from switch ${step.with.switchName}.`,
        requires: 'Nothing: where it is gone, the goal is reached.',
        verifies: 'The switch has no such adapter.',
        undo: 'Makes the adapter again, with its MAC address and its name.',
      };
    case 'adapter.setBinding': {
      const {adapter, componentId, enabled} = step.with;
      return {
        changes: `Turns ${enabled ? 'on' : 'off'} the binding ${componentId} of ${adapter}.`,
        requires: 'The adapter has this binding.',
        verifies: `It is ${enabled ? 'on' : 'off'}.`,
        undo: 'Turns it as it was.',
      };
    }
    case 'service.start':
      return {
        changes: `Starts service ${step.with.name}.`,
        requires: 'There is such a service.',
        verifies: 'It runs.',
        undo: 'Stops it, where it did not run before.',
      };
    case 'service.stop':
      return {
        changes: `Stops service ${step.with.name} and what depends on it.`,
        requires: 'There is such a service.',
        verifies: 'It is stopped.',
        undo: 'Starts again what ran.',
      };
    case 'service.restart':
      return {
        changes: `Restarts service ${step.with.name}.`,
        requires: 'There is such a service.',
        verifies: 'It runs, as another process.',
      };
    case 'file.remove':
      return {
        changes: `Removes ${step.with.path}.`,
        requires: 'It is a file below the folders of the CNIs.',
        verifies: 'There is no such file.',
        undo: 'Puts the file back.',
      };
    case 'registry.removeValue':
      return {
        changes: `Removes registry value ${step.with.path}\\${step.with.name}.`,
        requires: 'It is one that a plan may remove.',
        verifies: 'There is no such value.',
        undo: 'Puts the value back.',
      };
    case 'firewall.allow':
      return {
        changes: `Lets ${step.with.protocol} ${step.with.port} in, with firewall rule ${step.with.name}.`,
        requires: 'No other rule has this name.',
        verifies: 'The rule is there and on.',
        undo: 'Removes the rule.',
      };
    case 'route.add':
      return {
        changes: `Adds a route to ${step.with.destination} via ${step.with.nextHop} on ${step.with.adapter}.`,
        requires: 'There is such an adapter.',
        verifies: 'The route is there.',
        undo: 'Removes the route.',
      };
    case 'ip.renew':
      return {
        changes: `Renews the DHCP lease of ${step.with.adapter}.`,
        requires: 'The adapter is there and uses DHCP.',
        verifies: 'It has a leased address.',
      };
    case 'ip.restore':
      return {
        changes: `Gives ${step.with.to} the addresses, routes and DNS servers that ${step.with.from} had when the plan began.`,
        requires: 'They were saved, and the adapter is there.',
        verifies: 'All addresses are on it.',
      };
    case 'wait.until':
      return {changes: `Waits until ${conditionText(step.with)}.`, requires: 'Nothing.', verifies: 'It is so.'};
    case 'node.cordon':
      return {
        changes: `Cordons ${step.with.node}.`,
        requires: 'The node takes pods.',
        verifies: 'It takes none.',
        undo: 'Uncordons it.',
      };
    case 'node.drain':
      return {
        changes: `Evicts the pods of ${step.with.node}, except those of DaemonSets${step.with.force ? ', also those that nothing makes again' : ''}.`,
        requires: 'Their disruption budgets allow it.',
        verifies: 'They are gone.',
      };
    case 'pod.delete':
      return {
        changes: `Deletes pod ${step.with.namespace}/${step.with.name}; its controller makes a new one.`,
        requires: 'The pod is on this node.',
        verifies: step.with.awaits ? 'A new one is ready.' : 'It is gone.',
      };
    case 'node.uncordon':
      return {
        changes: `Uncordons ${step.with.node}.`,
        requires: 'The plan has succeeded.',
        verifies: 'The node takes pods.',
        undo: 'Cordons it.',
      };
  }
}

function alongside(endpoints: readonly string[] | undefined): string {
  return endpoints ? ` with ${count(endpoints.length, 'attached endpoint')}` : '';
}

function extensionName(id: string): string {
  return id.toLowerCase() === ovsExtension ? 'the Open vSwitch extension' : `extension ${id}`;
}

/** What is waited for, as a clause. */
export function conditionText(until: Extract<PlanStep, {do: 'wait.until'}>['with']): string {
  switch (until.until) {
    case 'service':
      return `service ${until.name} is ${until.state.toLowerCase()}`;
    case 'hnsNetwork':
      return `HNS network ${until.name} is ${until.present ? 'there' : 'gone'}`;
    case 'adapter':
      return `adapter ${until.name} is ${until.present ? 'there' : 'gone'}`;
    case 'address':
      return `address ${until.address} is there`;
    case 'tcp':
      return `${until.target} can be reached`;
    case 'extension':
      return `${extensionName(until.extensionId)} of switch ${until.switchName} is ${until.enabled ? 'on' : 'off'}`;
  }
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
