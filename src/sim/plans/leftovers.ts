import {isObject, type JsonObject, listAt} from '../json.js';
import {ovsExtension} from '../node/hns.js';
import {type NodeState, rows} from '../node/state.js';
import {dropNetwork, dropSwitch, setExtension} from './consequences.js';
import {answered, type Host, same} from './step.js';

/** Whether a network uses Open vSwitch. */
export const isOvsNetwork = (network: JsonObject): boolean =>
  listAt(network, 'Extensions').some(row => isObject(row) && row.IsEnabled === true && same(row.Id, ovsExtension));

/** Disables the OVS extension, so that OVS no longer handles the node's packets. */
export function dropOvs({state}: Host): string | undefined {
  const enabled = rows(state, 'vmSwitchExtensions').filter(row => row.Enabled === true && same(row.Id, ovsExtension));
  for (const extension of enabled) setExtension(state, extension, false);
  return enabled.length > 0 ? `Extension ${enabled[0]?.Name} was disabled.` : undefined;
}

/** Removes leftovers that block a plain NIC: switches without a network, and with `networks` the networks too. */
export function removeLeftovers({state}: Host, names: readonly string[], networks: boolean): string | undefined {
  const isNamed = ({Name}: JsonObject) => names.some(name => same(name, Name));
  const said: string[] = [];
  for (const network of networks ? rows(state, 'hnsNetworks').filter(isNamed) : []) {
    dropNetwork(state, network);
    said.push(`HNS network ${network.Name} was removed.`);
  }
  for (const its of rows(state, 'vmSwitches').filter(row => isNamed(row) && !networkOn(state, row))) {
    dropSwitch(state, String(its.Name));
    said.push(`Switch ${its.Name} was removed.`);
  }
  return said.length > 0 ? said.join(' ') : undefined;
}

/** A network that uses a switch. Several can share it; the switch has the name of the first. */
export const networkOn = (state: NodeState, {Name, Id}: JsonObject): JsonObject | undefined =>
  answered(state, 'hnsNetworks').find(row => same(row.Name, Name) || same(row.LayeredOn, Id));
