import type {Check} from './check.js';
import {networkChecks} from './hns/networks.js';
import {bridgeChecks} from './ovs/bridges.js';

/** The checks that hold for more than one plugin; a plugin's own are in its folder. */
export const commonChecks: readonly Check[] = [...networkChecks, ...bridgeChecks];
