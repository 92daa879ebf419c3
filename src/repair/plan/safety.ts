import {nicOf} from '../../checks/net/adapters.js';
import {isNeverStale, podNetwork} from '../../checks/networks.js';
import type {NodeSubject} from '../../model/check.js';
import {type Refusal, refusal} from '../../model/cleanup.js';
import type {PlanStep} from '../../model/plan.js';
import {stateFile} from '../../model/plugin.js';
import {type Network, same} from '../../snapshot/hns.js';
import {normalPath} from '../../snapshot/paths.js';
import {onOneSwitch, sitsOnNic} from './carrier.js';
import {mayBeAttached, ownerOf} from './endpoints.js';

// What a plan may never do, force or not. It is looked at in the finished steps: nothing here trusts a plugin's cleanup,
// nor a plan that comes from a file.

/** It holds something else up, or is not a pod network at all: Windows' own, Docker's, WSL's, the base under another. */
export function isUntouchable(network: Network): boolean {
  return isNeverStale(network) || /^base/i.test(network.name) || !sitsOnNic(network);
}

/** The one network that may be removed: that of the node's plugin, which makes it again. */
function isOwn({node, plugin}: NodeSubject, network: Network): boolean {
  return !isUntouchable(network) && podNetwork(node, plugin.profile.network) === network;
}

/** Why these steps must not be carried out; empty where nothing speaks against them. */
export function violations(subject: NodeSubject, steps: readonly PlanStep[]): Refusal[] {
  const removed = steps.flatMap(step => (step.do === 'hns.removeNetwork' ? [step.with.id.toLowerCase()] : []));
  const left = (subject.node.hnsNetworks ?? []).filter(({id}) => !removed.includes(id.toLowerCase()));
  return steps.flatMap(step => violation(subject, step, left) ?? []).map(reason => refusal(reason));
}

function violation(subject: NodeSubject, step: PlanStep, left: readonly Network[]): string | undefined {
  const {node} = subject;
  switch (step.do) {
    case 'hns.removeNetwork': {
      const network = node.hnsNetworks?.find(({id}) => same(id, step.with.id));
      if (!network) return `There is no HNS network ${step.with.name} with id ${step.with.id} on ${node.name}.`;
      if (isOwn(subject, network) && same(network.name, step.with.name)) return undefined;
      return `HNS network ${network.name} does not belong to ${subject.plugin.title}, so it stays.`;
    }
    case 'hns.removeEndpoint':
      return endpointViolation(subject, step.with.id, left);
    case 'vswitch.remove':
      return switchViolation(subject, step.with.name, left);
    case 'vnic.remove':
      return switchViolation(subject, step.with.switchName, left);
    case 'vswitch.setExtension': {
      const own = subject.plugin.profile.network?.name ?? '';
      if (!step.with.enabled || same(step.with.switchName, own)) return undefined;
      return `Switch ${step.with.switchName} does not belong to ${subject.plugin.title}, so no extension is put on it.`;
    }
    case 'adapter.setBinding': {
      if (step.with.componentId !== 'vms_pp' || step.with.enabled) return undefined;
      const user = left.find(
        network => sitsOnNic(network) && same(nicOf(node, network)?.name ?? '', step.with.adapter),
      );
      return user && `${step.with.adapter} carries HNS network ${user.name}, so it stays bound to its switch.`;
    }
    case 'file.remove':
      return isRemovable(subject, step.with.path)
        ? undefined
        : `${step.with.path} is no state that a CNI writes anew, so it stays.`;
    case 'registry.removeValue':
      return isRemovableValue(subject, step.with)
        ? undefined
        : `The registry value ${step.with.path}\\${step.with.name} is none that a CNI does without, so it stays.`;
    case 'service.start':
    case 'service.stop':
    case 'service.restart':
      return isOfNetwork(subject, step.with.name)
        ? undefined
        : `Service ${step.with.name} is no part of the pod network, so it is left alone.`;
    default:
      return undefined;
  }
}

/** An endpoint of the node itself may go where it is a leftover, or where its network goes. */
function endpointViolation(subject: NodeSubject, id: string, left: readonly Network[]): string | undefined {
  const {node} = subject;
  const endpoint = node.hnsEndpoints?.find(candidate => same(candidate.id, id));
  if (!endpoint) return `There is no HNS endpoint with id ${id} on ${node.name}.`;
  const network = left.find(({id: its}) => its === endpoint.networkId);
  if (!network) return undefined;
  if (!isOwn(subject, network))
    return `HNS endpoint ${endpoint.name} is on ${network.name}, which does not belong to ${subject.plugin.title}.`;
  const isUsed = mayBeAttached(endpoint) && node.netIPAddresses?.some(({ip}) => ip === endpoint.ip);
  if (endpoint.remote || (ownerOf(subject, endpoint).kind === 'host' && isUsed))
    return `HNS endpoint ${endpoint.name} is in use by ${node.name} itself, so it stays.`;
  return undefined;
}

/** A switch may go only when no network is left on it. */
function switchViolation({node, plugin}: NodeSubject, name: string, left: readonly Network[]): string | undefined {
  if (!same(name, plugin.profile.network?.name ?? ''))
    return `Switch ${name} does not belong to ${plugin.title}, so it stays.`;
  const namesake = node.hnsNetworks?.find(network => same(network.name, name));
  const user = left.find(network => same(network.name, name) || (namesake && onOneSwitch(network, namesake)));
  return user && `HNS network ${user.name} is on switch ${name} too, so it stays.`;
}

/** The services of agents, of OVS and of kube-proxy. */
function isOfNetwork({plugin}: NodeSubject, name: string): boolean {
  return (
    /^(hns|kube-?proxy|ovsdb-server|ovs-vswitchd|ovn-controller)$/i.test(name) ||
    (plugin.profile.agent?.services.includes(name.toLowerCase()) ?? false)
  );
}

/** As helper/windows/cni-paths.ps1 has it: the node looks again. */
function isRemovable({plugin}: NodeSubject, path: string): boolean {
  const its = normalPath(path);
  if (its.split('\\').includes('..')) return false;
  return (
    /^c:\\(var\\lib\\cni|sourcevip|openvswitch\\var\\run\\openvswitch)\\[^:*?"<>|]+$/.test(its) ||
    ['c:\\k\\sourcevip.json', 'c:\\openvswitch\\etc\\openvswitch\\conf.db'].includes(its) ||
    (stateFile(plugin, path)?.removable ?? false)
  );
}

function isRemovableValue(
  {plugin}: NodeSubject,
  {path, name}: {readonly path: string; readonly name: string},
): boolean {
  return plugin.known
    .flatMap(({footprint}) => footprint.registry)
    .some(value => value.removable && same(value.path, path) && same(value.name, name));
}
