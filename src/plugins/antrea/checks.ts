import type {Check} from '../../model/check.js';
import {serviceChecks} from './agent-service-environment.js';
import {bootChecks} from './boot-hook.js';

export const antreaChecks: readonly Check[] = [...bootChecks, ...serviceChecks];
