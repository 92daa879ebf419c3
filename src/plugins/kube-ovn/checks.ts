import type {Check} from '../../model/check.js';
import {limitChecks} from './limits.js';
import {southboundChecks} from './southbound.js';
import {subnetChecks} from './subnets.js';
import {tunnelChecks} from './tunnel-checks.js';

export const kubeOvnChecks: readonly Check[] = [...limitChecks, ...southboundChecks, ...subnetChecks, ...tunnelChecks];
