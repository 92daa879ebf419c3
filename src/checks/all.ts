import type {Check} from './check.js';
import {hostEndpointChecks} from './hns/host-endpoint.js';
import {networkChecks} from './hns/networks.js';
import {peerRouteChecks} from './net/peer-routes.js';
import {bridgeChecks} from './ovs/bridges.js';
import {daemonChecks} from './ovs/daemons.js';
import {extensionChecks} from './ovs/extension.js';
import {portChecks} from './ovs/ports.js';
import {mtuPathChecks} from './tunnel/mtu-path.js';
import {remoteChecks} from './tunnel/remote.js';
import {udpPortChecks} from './tunnel/udp-port.js';
import {vniChecks} from './tunnel/vni.js';

/** The checks that hold for more than one plugin; a plugin's own are in its folder. */
export const commonChecks: readonly Check[] = [
  ...networkChecks,
  ...daemonChecks,
  ...extensionChecks,
  ...bridgeChecks,
  ...portChecks,
  ...hostEndpointChecks,
  ...peerRouteChecks,
  ...vniChecks,
  ...udpPortChecks,
  ...mtuPathChecks,
  ...remoteChecks,
];
