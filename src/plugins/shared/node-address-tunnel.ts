import {holderOf} from '../../checks/net/adapters.js';
import type {NodeSubject} from '../../model/check.js';
import type {Translation, TunnelSetting, WantedUplink} from '../../model/tunnel-setting.js';
import {internalIp} from '../../snapshot/cluster.js';

/** For a plugin that always uses the adapter with the node's address. `notes` explain what determines that address. */
export function nodeAddressTunnel(notes?: readonly string[]): TunnelSetting {
  return {by: 'settings', objects: [], translate: (subject, wanted) => nodeAddress(subject, wanted, notes)};
}

function nodeAddress(
  {node, object, plugin}: NodeSubject,
  wanted: WantedUplink,
  notes: readonly string[] = [
    `${plugin.title} uses the adapter with the node address and has no setting for another adapter.`,
  ],
): Translation {
  const address = internalIp(object);
  const adapter = holderOf(node, address)?.adapter;
  return {
    title: plugin.title,
    settings: [
      {
        name: 'the node address',
        where: `Node ${node.name}`,
        now: address && `${address}${adapter === undefined ? '' : ` on ${adapter}`}`,
      },
    ],
    reach: 'this node',
    notes: wanted ? notes : [],
    unsafe: 'there is no setting to change: kubectl win cannot change the address of a node',
  };
}
