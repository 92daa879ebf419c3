import {names} from '../../lib/names.js';
import {powerShellText} from '../../lib/quote.js';
import type {Installation} from '../../model/plugin-preflight.js';
import {manual} from '../../model/remedies.js';
import {fail, info, unknown} from '../../model/verdict.js';
import {contains, networkPrefix, sameCidr} from '../../snapshot/addresses.js';
import {internalIp} from '../../snapshot/cluster.js';
import {nodeAddressHolder} from '../net/adapters.js';
import {isNear, leadsTo} from '../net/peer-routes.js';
import {prerequisite} from './prerequisite.js';

/** Direct routes work only within one subnet: a router in between does not know the pod subnets. */
export const sameSubnet = (target: Installation, {advised = false} = {}) =>
  prerequisite(target, 'same-subnet', {
    title: 'All nodes are in one subnet',
    advised,
    needs: ['nodeObject', 'netIPAddresses'],
    run({node, object, cluster}) {
      const own = nodeAddressHolder(node, object);
      if (own?.prefixLength === undefined) return unknown('The subnet of the node could not be determined.');
      const subnet = networkPrefix(`${own.ip}/${own.prefixLength}`);
      const far = cluster.all('Node').filter(other => {
        const address = internalIp(other);
        return address !== undefined && !contains(subnet, address);
      });
      if (far.length === 0) return undefined;
      const nodes = names(far.map(other => `${other.metadata.name} (${internalIp(other)})`));
      return fail(
        `${nodes} ${far.length === 1 ? 'is' : 'are'} not in ${subnet}, the subnet of this node: its pods are not reachable through direct routes.`,
      )
        .because(
          ...far.map(other => ({
            section: 'cluster',
            object: `Node ${other.metadata.name}`,
            field: 'InternalIP',
            seen: internalIp(other),
            expected: `an address in ${subnet}`,
          })),
        )
        .fixedBy(
          manual(
            ...far.map(
              other =>
                `Add to the router between them: ${other.spec?.podCIDR ?? 'POD-CIDR'} via ${internalIp(other)}, or move ${other.metadata.name} to ${subnet}.`,
            ),
            'Or use an overlay: kubectl win preflight flannel --mode overlay',
          ),
        );
    },
    explain: {
      meaning:
        'Without an overlay, each node sends packets for pods on another node directly to that node. This only works within one subnet; a router between the nodes does not know the pod subnets.',
      why: 'The nodes are in several subnets or zones.',
      see: [
        'kubectl get nodes -o wide',
        'Get-NetIPAddress -AddressFamily IPv4 | Select-Object IPAddress, PrefixLength',
      ],
      fix: ['Move all nodes to one subnet, add the pod subnets to the routers, or use an overlay.'],
      sources: ['https://github.com/flannel-io/flannel/blob/master/Documentation/backends.md#host-gw'],
    },
  });

/** Only an administrator or the cloud creates these routes. */
export const peerRoutesMade = (target: Installation) =>
  prerequisite(target, 'peer-routes', {
    title: 'Node has routes to the pods of all other nodes',
    needs: ['nodeObject', 'netRoutes'],
    run({node, object, plugin}) {
      const {peers} = plugin.profile;
      if (peers === undefined)
        return info('The cloud provides the routes to the pods of the other nodes (node condition RouteCreated).');
      const routes = node.netRoutes.filter(({persistent}) => !persistent);
      const missing = peers
        .filter(peer => isNear(peer, routes))
        .filter(peer => !routes.some(route => leadsTo(route, peer, false)));
      if (missing.length === 0) return undefined;
      const adapter = powerShellText(nodeAddressHolder(node, object)?.adapter ?? 'ADAPTER');
      return fail(
        `The node has no route to the pods of ${names(missing.map(peer => `${peer.node} (${peer.prefix})`))}.`,
      )
        .because(
          ...missing.map(({prefix, address}) => ({
            section: 'netRoutes',
            object: prefix,
            field: 'NextHop',
            seen: routes.filter(route => sameCidr(route.prefix, prefix)).map(({nextHop}) => nextHop),
            expected: address,
          })),
        )
        .fixedBy(
          manual(
            ...missing.map(
              ({prefix, address}) =>
                `New-NetRoute -DestinationPrefix ${powerShellText(prefix)} -NextHop ${powerShellText(address ?? 'ADDRESS')} -InterfaceAlias ${adapter}`,
            ),
          ),
        );
    },
    explain: {
      meaning:
        'Without an overlay, each node needs a route to the pod subnet of every other node, through that node. A route is missing or wrong.',
      why: 'The plugin does not create them: a script such as AddRoutes.ps1, an administrator, a router, or the cloud provider does. New nodes are easily forgotten.',
      see: [
        'Get-NetRoute -AddressFamily IPv4 | Select-Object DestinationPrefix, NextHop, InterfaceAlias',
        'kubectl get nodes -o custom-columns=NAME:.metadata.name,CIDR:.spec.podCIDR,IP:.status.addresses[0].address',
      ],
      fix: [
        "New-NetRoute -DestinationPrefix POD-CIDR -NextHop NODE-ADDRESS -InterfaceAlias 'vEthernet (Ethernet)', for each other node",
      ],
      sources: ['https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/AddRoutes.ps1'],
    },
  });
