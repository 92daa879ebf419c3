import type {Check} from '../../model/check.js';
import {bootChecks} from './boot.js';
import {serviceChecks} from './service.js';

export const antreaChecks: readonly Check[] = [...bootChecks, ...serviceChecks];
