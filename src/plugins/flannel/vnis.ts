import {networkVni} from '../../checks/tunnel/vxlan.js';
import type {SeenVni} from '../../model/across-nodes.js';
import type {Fleet} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {leaseOf} from './lease.js';
import {clusterNetConfs} from './net-conf.js';
import {netConfPatch} from './patch.js';

export function seenVnis({cluster, subjects}: Fleet): SeenVni[] {
  const leases = cluster.all('Node').flatMap((node): SeenVni[] => {
    const lease = leaseOf(node);
    if (lease?.type !== 'vxlan' || lease.vni === undefined) return [];
    return [
      {
        vni: lease.vni,
        where: node.metadata.name,
        evidence: {
          section: 'cluster',
          object: `Node ${node.metadata.name}`,
          field: 'flannel.alpha.coreos.com/backend-data VNI',
          seen: lease.vni,
          expected: 'the same value on every node, 4096 or higher',
        },
      },
    ];
  });
  return [...leases, ...subjects.flatMap(networkVni)];
}

export function vniRemedy({cluster}: Fleet) {
  const patches = clusterNetConfs(cluster).flatMap(conf => netConfPatch(conf, cluster) ?? []);
  return manual(
    ...(patches.length > 0
      ? patches
      : ['Set "VNI": 4096 and "Port": 4789 under Backend in the net-conf.json that flanneld reads, on every node.']),
    'Restart flanneld on every node: kubectl -n kube-flannel rollout restart daemonset',
    'Delete the old device on every Linux node: ip link delete flannel.1',
  );
}
