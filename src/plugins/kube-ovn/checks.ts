import type {Check} from '../../model/check.js';
import {limitChecks} from './limits.js';
import {providerChecks} from './provider.js';
import {subnetChecks} from './subnets.js';
import {supportChecks} from './support.js';
import {systemChecks} from './system.js';
import {tunnelChecks} from './tunnel-checks.js';

export const kubeOvnChecks: readonly Check[] = [
  ...limitChecks,
  ...supportChecks,
  ...subnetChecks,
  ...tunnelChecks,
  ...providerChecks,
  ...systemChecks,
];
