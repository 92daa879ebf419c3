import {holderOf} from '../../checks/net/adapters.js';
import type {NodeSubject} from '../../model/check.js';
import type {Target, Translation} from '../../model/tunnel-setting.js';
import {antreaTranslation} from '../../plugins/antrea/tunnel-setting.js';
import {calicoTranslation} from '../../plugins/calico/tunnel-setting.js';
import {flannelTranslation} from '../../plugins/flannel/tunnel-setting.js';
import {internalIp} from '../../snapshot/cluster.js';

/** What a node's plugin has instead of the annotation; undefined: its plugin is not known, or is Kube-OVN itself. */
export function translate(subject: NodeSubject, target: Target): Translation | undefined {
  switch (subject.plugin.name) {
    case 'kube-ovn':
    case 'unknown':
      return undefined;
    case 'antrea':
      return antreaTranslation(subject, target);
    case 'flannel':
      return flannelTranslation(subject, target);
    case 'calico':
      return calicoTranslation(subject, target);
    case 'ovn-kubernetes':
      return nodeAddress(subject, target, [
        'Tunnels start from the address of the node: kubelet reports it, and is told it with --node-ip.',
        'On OpenShift the Windows Machine Config Operator does that: the address of the machine, or the one in ConfigMap windows-instances.',
      ]);
    default:
      return nodeAddress(subject, target, [
        `${subject.plugin.title} uses the adapter with the node's address, and has no setting for another one.`,
      ]);
  }
}

function nodeAddress({node, object, plugin}: NodeSubject, target: Target, notes: readonly string[]): Translation {
  const address = internalIp(object);
  const adapter = holderOf(node, address)?.adapter;
  return {
    title: plugin.title,
    settings: [
      {
        name: 'the address of the node',
        where: `Node ${node.name}`,
        now: address && `${address}${adapter === undefined ? '' : ` on ${adapter}`}`,
      },
    ],
    reach: 'this node',
    notes: target ? notes : [],
    unsafe: 'there is nothing to write: the address of a node cannot be changed from here',
  };
}
