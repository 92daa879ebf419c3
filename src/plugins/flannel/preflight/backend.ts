import {podRanges} from '../../../checks/cluster-network.js';
import {clusterPrerequisite} from '../../../checks/prerequisites/prerequisite.js';
import type {Installation} from '../../../model/plugin-preflight.js';
import {manual} from '../../../model/remedies.js';
import {fail} from '../../../model/verdict.js';
import {isWindows} from '../../../snapshot/cluster.js';
import {leaseOf} from '../lease.js';
import {clusterNetConfs} from '../net-conf.js';
import {faultsIn, netConfMissing, patchSteps, verdictsOf, withBackend} from './net-conf-needs.js';

const backends = 'https://github.com/flannel-io/flannel/blob/master/Documentation/backends.md';
const seeNetConf = [
  "kubectl -n kube-flannel get configmap kube-flannel-cfg -o jsonpath='{.data.net-conf\\.json}'",
] as const;

export const backendType = (target: Installation, type: 'vxlan' | 'host-gw') =>
  clusterPrerequisite(target, 'backend', {
    title: `Backend ${type}${type === 'vxlan' ? ', without direct routing' : ''}`,
    run(fleet) {
      const missing = netConfMissing(fleet);
      if (missing) return missing;
      const wrong = clusterNetConfs(fleet.cluster).filter(conf => conf.readable && conf.type !== type);
      if (wrong.length === 0)
        return verdictsOf(fleet, faultsIn(fleet, 'Backend.DirectRouting', 'Backend.GBP'), json =>
          withBackend(json, {DirectRouting: undefined, GBP: undefined}),
        );
      return wrong.map(conf =>
        fail(`The net-conf.json of ${conf.source} has the backend ${conf.type ?? 'udp'}, not ${type}.`)
          .because({
            section: 'cluster',
            object: conf.source,
            field: 'net-conf.json Backend.Type',
            seen: conf.type ?? null,
            expected: type,
          })
          .fixedBy(
            manual(
              ...patchSteps(conf, fleet.cluster, json =>
                withBackend(
                  json,
                  type === 'vxlan'
                    ? {Type: type, VNI: 4096, Port: 4789}
                    : {Type: type, VNI: undefined, Port: undefined},
                ),
              ),
            ),
          ),
      );
    },
    explain: {
      meaning: `All nodes must use the same backend, and Windows supports only vxlan and host-gw. This mode uses ${type}. With vxlan, Windows supports neither DirectRouting nor GBP.`,
      why: 'The cluster was set up for Linux only.',
      see: [...seeNetConf],
      fix: [
        `Set Backend.Type in net-conf.json to ${type}, and restart flanneld on every node: pods temporarily lose their network.`,
      ],
      sources: [backends],
    },
  });

export const backendVni = (target: Installation) =>
  clusterPrerequisite(target, 'vni', {
    title: 'VNI 4096 on every node',
    run(fleet) {
      const verdicts = verdictsOf(fleet, faultsIn(fleet, 'Backend.VNI'), json =>
        withBackend(json, {VNI: 4096, Port: 4789}),
      );
      if (!Array.isArray(verdicts) || verdicts.length > 0) return verdicts;
      const stale = fleet.cluster.all('Node').filter(node => !isWindows(node) && (leaseOf(node)?.vni ?? 4096) < 4096);
      if (stale.length === 0) return undefined;
      const nodes = stale.map(({metadata}) => metadata.name);
      return fail(`flanneld on ${nodes.join(', ')} still uses the old VNI: Windows nodes will ignore them.`)
        .because(
          ...stale.map(node => ({
            section: 'cluster',
            object: `Node ${node.metadata.name}`,
            field: 'flannel.alpha.coreos.com/backend-data VNI',
            seen: leaseOf(node)?.vni,
            expected: 4096,
          })),
        )
        .fixedBy(
          manual(
            'kubectl -n kube-flannel rollout restart daemonset',
            'ip link delete flannel.1 (on each of these nodes)',
          ),
        );
    },
    explain: {
      meaning:
        'Every overlay packet carries the VNI. Windows supports only 4096 and above, so all nodes must use such a VNI; the guide recommends 4096.',
      why: 'Flannel on Linux uses 1 by default.',
      see: [...seeNetConf],
      fix: [
        'Set "VNI": 4096 under Backend in net-conf.json.',
        'Restart flanneld on every Linux node, and delete its old device there: ip link delete flannel.1',
      ],
      sources: [`${backends}#vxlan`, 'https://github.com/k3s-io/k3s/issues/9295'],
    },
  });

export const backendPort = (target: Installation) =>
  clusterPrerequisite(target, 'port', {
    title: 'UDP port is 4789',
    run: fleet =>
      verdictsOf(fleet, faultsIn(fleet, 'Backend.Port'), json => withBackend(json, {VNI: 4096, Port: 4789})),
    explain: {
      meaning: 'Windows sends overlay packets to UDP port 4789. Linux nodes must use the same port.',
      why: 'Flannel on Linux uses 8472 by default.',
      see: [...seeNetConf],
      fix: [
        'Set "Port": 4789 under Backend in net-conf.json, and restart flanneld on every node.',
        'Allow UDP 4789 between all nodes.',
      ],
      sources: [`${backends}#vxlan`],
    },
  });

export const clusterCidr = (target: Installation) =>
  clusterPrerequisite(target, 'cluster-cidr', {
    title: 'Network is the pod range of the cluster',
    run: fleet =>
      verdictsOf(fleet, faultsIn(fleet, 'Network'), json => ({
        ...Object.fromEntries(Object.entries(json).filter(([key]) => key.toLowerCase() !== 'network')),
        Network: podRanges(fleet.cluster)[0] ?? 'CLUSTER-CIDR',
      })),
    explain: {
      meaning: 'flanneld uses the range under Network in net-conf.json. It must be the cluster CIDR.',
      why: 'The manifest contains 10.244.0.0/16; the cluster may use another range.',
      see: [...seeNetConf, 'kubectl -n kube-system get configmap kubeadm-config -o yaml | grep podSubnet'],
      fix: ['Set Network in net-conf.json to the pod range of the cluster, and restart flanneld on every node.'],
    },
  });
