import type {DetectionInput, Plugin, Profile, Recognition} from '../../model/plugin.js';
import {cniConfs, confType} from '../../snapshot/cni-conf.js';
import {imageVersion} from '../../snapshot/image-version.js';
import {nodeAddressTunnel} from '../shared/node-address-tunnel.js';
import {nothingAcrossNodes} from '../shared/nothing-across-nodes.js';
import {awsVpcFootprint} from './footprint.js';
import {awsVpcCleanup} from './plugin-cleanup.js';

const networkNames = /^vpcbr/i;

/** The VPC CNI of EKS: recognised so that its network is not treated as a leftover. */
export const awsVpc: Plugin = {
  name: 'aws-vpc',
  title: 'AWS VPC CNI',
  ownNetworks: networkNames,
  confType: /^(vpc-bridge|vpc-shared-eni|aws-cni)$/,
  footprint: awsVpcFootprint,
  checks: [],
  cleanup: awsVpcCleanup,
  preflight: undefined,
  acrossNodes: nothingAcrossNodes,
  tunnelSetting: nodeAddressTunnel(),

  recognise({cluster, node}: DetectionInput): Recognition | undefined {
    const meant: string[] = [];
    const found: string[] = [];
    const agents = cluster?.find('DaemonSet', 'aws-node', 'kube-system');
    if (agents) meant.push('DaemonSet kube-system/aws-node');
    if (cluster?.find('ConfigMap', 'amazon-vpc-cni', 'kube-system')?.data['enable-windows-ipam'] === 'true')
      meant.push('ConfigMap kube-system/amazon-vpc-cni with enable-windows-ipam');
    for (const {name} of node.hnsNetworks ?? []) if (networkNames.test(name)) found.push(`HNS network ${name}`);
    for (const conf of cniConfs(node))
      if (/^(vpc-bridge|vpc-shared-eni)$/.test(confType(conf) ?? '')) found.push(`CNI configuration ${conf.path}`);
    if (meant.length + found.length === 0) return undefined;
    return {version: imageVersion(agents?.spec.template.spec.containers[0]?.image), meant, found};
  },

  profile({node}: DetectionInput): Profile {
    const network = node.hnsNetworks?.find(({name}) => networkNames.test(name));
    return {
      // Its name contains the MAC address of a network interface, so it is known only if the network exists.
      network: network && {name: network.name, types: ['L2Bridge']},
      agent: undefined,
      bridges: [],
      managementAdapter: undefined,
      tunnel: undefined,
      kubeProxy: 'needed',
      podSubnet: undefined,
    };
  },
};
