import type {SeenVni} from '../../model/across-nodes.js';
import type {NodeSubject} from '../../model/check.js';
import {podNetwork} from '../pod-network.js';

/** The port that Windows sends VXLAN to; Server 2019 supports no other port. */
export const windowsPort = 4789;

/** The VNI that a node's network actually uses. */
export function networkVni({node, plugin}: NodeSubject): SeenVni[] {
  const network = podNetwork(node, plugin.profile.network);
  const vni = network?.subnets.find(({vsid}) => vsid !== undefined)?.vsid;
  if (!network || vni === undefined) return [];
  return [
    {
      vni,
      where: node.name,
      evidence: {
        section: 'hnsNetworks',
        object: `${node.name}: ${network.name}`,
        field: 'VSID',
        seen: vni,
        expected: 'the VNI of every other node',
      },
    },
  ];
}
