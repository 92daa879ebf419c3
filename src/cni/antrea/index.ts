import type {ClusterModel} from '../../snapshot/cluster.js';
import {podCidr} from '../../snapshot/cluster.js';
import {imageVersion} from '../images.js';
import type {Plugin, Profile, Recognition, Sight} from '../plugin.js';
import {antreaChecks} from './checks.js';

const networkName = 'antrea-hnsnetwork';

/** Antrea: agent in a pod or as a service, OVS as Windows services or in the pod (antrea docs/windows.md). */
export const antrea: Plugin = {
  name: 'antrea',
  title: 'Antrea',
  ownNetworks: /^antrea-hnsnetwork$/i,
  checks: antreaChecks,

  recognise({cluster, object, node}: Sight): Recognition | undefined {
    const meant: string[] = [];
    const found: string[] = [];
    const agents = cluster?.all('DaemonSet').find(({metadata}) => metadata.name === 'antrea-agent-windows');
    if (agents) meant.push(`DaemonSet ${agents.metadata.namespace}/${agents.metadata.name}`);
    const controller = cluster?.all('Deployment').find(({metadata}) => metadata.name === 'antrea-controller');
    if (controller) meant.push(`Deployment ${controller.metadata.namespace}/antrea-controller`);
    if (object?.metadata.annotations['node.antrea.io/mac-address']) meant.push('annotation node.antrea.io/mac-address');
    if (node.hnsNetworks?.some(({name}) => name === networkName)) found.push(`HNS network ${networkName}`);
    if (node.services?.some(({name}) => name.toLowerCase() === 'antrea-agent')) found.push('service antrea-agent');
    if (node.processes?.some(({name}) => name === 'antrea-agent')) found.push('process antrea-agent');
    if (node.files?.some(({path, exists}) => exists && /antrea\.conflist$/i.test(path)))
      found.push('CNI configuration 10-antrea.conflist');
    if (node.netNats?.some(({name}) => name === 'antrea-nat')) found.push('NetNat antrea-nat');
    if (meant.length + found.length === 0) return undefined;
    const image = (agents ?? controller)?.spec.template.spec.containers.find(({image: its}) =>
      its?.includes('antrea'),
    )?.image;
    return {variant: trafficMode(cluster), version: imageVersion(image), meant, found};
  },

  profile({cluster, object}: Sight): Profile {
    const protocol = tunnelProtocol(cluster);
    return {
      network: {name: networkName, types: ['Transparent']},
      agent: {
        name: 'antrea-agent',
        daemonSets: [{namespace: 'kube-system', name: 'antrea-agent-windows'}],
        services: ['antrea-agent'],
        processes: ['antrea-agent'],
      },
      bridges: ['br-int'],
      managementAdapter: 'br-int',
      tunnel:
        protocol === 'vxlan'
          ? {protocol, port: 4789, overhead: 50}
          : {protocol, port: protocol === 'stt' ? 7471 : 6081, overhead: 50},
      kubeProxy: 'either',
      podSubnet: podCidr(object),
    };
  },
};

/** A setting of antrea-agent.conf as the Windows ConfigMap has it; commented lines are defaults. */
export function antreaSetting(cluster: ClusterModel | undefined, key: string): string | undefined {
  const config = cluster?.all('ConfigMap').find(({metadata}) => metadata.name === 'antrea-windows-config');
  const line = new RegExp(`^\\s*${key}:\\s*"?([^"#\\n]*?)"?\\s*(?:#.*)?$`, 'm').exec(
    config?.data['antrea-agent.conf'] ?? '',
  );
  return line?.[1] === '' ? undefined : line?.[1];
}

function trafficMode(cluster: ClusterModel | undefined): string {
  return antreaSetting(cluster, 'trafficEncapMode') ?? 'encap';
}

function tunnelProtocol(cluster: ClusterModel | undefined): 'geneve' | 'vxlan' | 'stt' {
  const type = antreaSetting(cluster, 'tunnelType');
  return type === 'vxlan' || type === 'stt' ? type : 'geneve';
}
