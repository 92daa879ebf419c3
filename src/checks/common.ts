import type {Check} from '../model/check.js';
import {clusterNodeChecks} from './cluster/node-object.js';
import {rebootChecks} from './cluster/rebooted.js';
import {answerChecks} from './cluster/silent-node.js';
import {agentPodChecks} from './cni/agent-pod.js';
import {apiServerOverrideChecks} from './cni/api-server-override.js';
import {confChecks} from './cni/conf.js';
import {leaseChecks} from './cni/leases.js';
import {outboundNatChecks} from './cni/outbound-nat.js';
import {recognitionChecks} from './cni/recognised.js';
import {twoPluginChecks} from './cni/two-plugins.js';
import {hnsCrashChecks} from './hns/crash.js';
import {endpointChecks} from './hns/endpoints.js';
import {foreignNetworkChecks} from './hns/foreign-network.js';
import {hnsServiceChecks} from './hns/hns-service.js';
import {hostEndpointChecks} from './hns/host-endpoint.js';
import {networkChecks} from './hns/networks.js';
import {vfpChecks} from './hns/vfp.js';
import {loadBalancerChecks} from './kube-proxy/load-balancer-checks.js';
import {presenceChecks} from './kube-proxy/presence.js';
import {proxyNetworkChecks} from './kube-proxy/proxy-network.js';
import {logChecks} from './logs/known-errors.js';
import {apiServerChecks} from './net/api-server.js';
import {firewallChecks} from './net/firewall.js';
import {forwardingChecks} from './net/forwarding.js';
import {managementChecks} from './net/management.js';
import {mtuChecks} from './net/mtu.js';
import {nodeAddressChecks} from './net/node-address.js';
import {peerRouteChecks} from './net/peer-routes.js';
import {hostPortChecks} from './net/port-exhaustion.js';
import {routeChecks} from './net/routes.js';
import {switchBindingChecks} from './net/switch-binding.js';
import {portChecks} from './ovs/bridge-ports.js';
import {bridgeChecks} from './ovs/bridges.js';
import {daemonChecks} from './ovs/daemons.js';
import {extensionChecks} from './ovs/extension.js';
import {flowChecks} from './ovs/flows.js';
import {addressChecks} from './ovs/gateway-and-tunnel.js';
import {natChecks} from './ovs/nat.js';
import {podPortChecks} from './ovs/pod-ports.js';
import {southboundChecks} from './ovs/southbound.js';
import {repairChecks} from './plans/interrupted.js';
import {keeperChecks} from './platform/keepers.js';
import {linuxImageChecks} from './platform/linux-image.js';
import {osChecks} from './platform/os.js';
import {ovsPlatformChecks} from './platform/ovs-platform.js';
import {podPlatformChecks} from './platform/pods.js';
import {versionChecks} from './platform/versions.js';
import {mtuPathChecks} from './tunnel/mtu-path.js';
import {remoteChecks} from './tunnel/remote.js';
import {udpPortChecks} from './tunnel/udp-port.js';
import {vniChecks} from './tunnel/vni.js';

/** The checks that apply to more than one plugin; those of a single plugin are in its folder. */
export const commonChecks: readonly Check[] = [
  ...networkChecks,
  ...daemonChecks,
  ...extensionChecks,
  ...bridgeChecks,
  ...portChecks,
  ...podPortChecks,
  ...flowChecks,
  ...southboundChecks,
  ...addressChecks,
  ...natChecks,
  ...ovsPlatformChecks,
  ...apiServerOverrideChecks,
  ...hostEndpointChecks,
  ...agentPodChecks,
  ...confChecks,
  ...leaseChecks,
  ...outboundNatChecks,
  ...twoPluginChecks,
  ...recognitionChecks,
  ...peerRouteChecks,
  ...vniChecks,
  ...udpPortChecks,
  ...mtuPathChecks,
  ...remoteChecks,
  ...presenceChecks,
  ...proxyNetworkChecks,
  ...loadBalancerChecks,
  ...managementChecks,
  ...nodeAddressChecks,
  ...routeChecks,
  ...apiServerChecks,
  ...firewallChecks,
  ...forwardingChecks,
  ...mtuChecks,
  ...hostPortChecks,
  ...switchBindingChecks,
  ...hnsServiceChecks,
  ...hnsCrashChecks,
  ...endpointChecks,
  ...osChecks,
  ...versionChecks,
  ...podPlatformChecks,
  ...linuxImageChecks,
  ...keeperChecks,
  ...answerChecks,
  ...clusterNodeChecks,
  ...rebootChecks,
  ...logChecks,
  ...repairChecks,
  ...vfpChecks,
  ...foreignNetworkChecks,
];
