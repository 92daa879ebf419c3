import type {Check} from './check.js';
import {networkChecks} from './hns/networks.js';
import {bridgeChecks} from './ovs/bridges.js';
import {daemonChecks} from './ovs/daemons.js';
import {extensionChecks} from './ovs/extension.js';
import {portChecks} from './ovs/ports.js';

/** The checks that hold for more than one plugin; a plugin's own are in its folder. */
export const commonChecks: readonly Check[] = [
  ...networkChecks,
  ...daemonChecks,
  ...extensionChecks,
  ...bridgeChecks,
  ...portChecks,
];
