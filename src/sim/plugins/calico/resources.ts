import type {ApiObject} from '../../api/object.js';
import type {ResourceType} from '../../api/resource-types.js';
import {object} from '../../cluster/workloads.js';
import type {JsonObject} from '../../json.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {block, blockSize, vni} from './names.js';

const group = 'crd.projectcalico.org';
const operatorGroup = 'operator.tigera.io';

const type = (kind: string, plural: string, its = group): ResourceType => ({
  group: its,
  version: 'v1',
  kind,
  plural,
  singular: kind.toLowerCase(),
  namespaced: false,
  custom: true,
});

export const calicoTypes: readonly ResourceType[] = [
  type('Installation', 'installations', operatorGroup),
  type('FelixConfiguration', 'felixconfigurations'),
  type('IPPool', 'ippools'),
  type('IPAMConfig', 'ipamconfigs'),
  type('IPAMBlock', 'ipamblocks'),
  type('BlockAffinity', 'blockaffinities'),
];

const pool = 'default-ipv4-ippool';

/** Calico's custom resources: the pool, the Felix configuration, and the block of each node. */
export function calicoResources(cluster: ClusterPlan, nodes: readonly NodePlan[]): ApiObject[] {
  const made = (kind: string, name: string, spec: JsonObject, its = group): ApiObject => ({
    ...object(cluster, `${its}/v1`, kind, name),
    spec,
  });
  const installation = {
    cni: {type: 'Calico', ipam: {type: 'Calico'}},
    serviceCIDRs: [cluster.serviceNetwork],
    calicoNetwork: {
      bgp: 'Disabled',
      windowsDataplane: 'HNS',
      linuxDataplane: 'Iptables',
      ipPools: [
        {
          name: pool,
          cidr: cluster.podNetwork,
          blockSize,
          encapsulation: 'VXLAN',
          natOutgoing: 'Enabled',
          nodeSelector: 'all()',
        },
      ],
    },
    variant: 'Calico',
  };
  return [
    made('Installation', 'default', installation, operatorGroup),
    made('FelixConfiguration', 'default', {
      vxlanVNI: vni,
      vxlanPort: 4789,
      vxlanEnabled: true,
      bpfEnabled: false,
      healthPort: 9099,
    }),
    made('IPPool', pool, {
      allowedUses: ['Workload', 'Tunnel'],
      blockSize,
      cidr: cluster.podNetwork,
      ipipMode: 'Never',
      vxlanMode: 'Always',
      natOutgoing: true,
      nodeSelector: 'all()',
    }),
    // Linux nodes must not borrow from the blocks of Windows nodes.
    made('IPAMConfig', 'default', {autoAllocateBlocks: true, maxBlocksPerHost: 0, strictAffinity: true}),
    ...nodes.flatMap(node => {
      const cidr = block(node);
      const dashes = cidr.replaceAll(/[./]/g, '-');
      return [
        made('IPAMBlock', dashes, {affinity: `host:${node.name}`, cidr, deleted: false, strictAffinity: true}),
        made('BlockAffinity', `${node.name}-${dashes}`, {
          cidr,
          deleted: 'false',
          node: node.name,
          state: 'confirmed',
        }),
      ];
    }),
  ];
}
