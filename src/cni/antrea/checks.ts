import type {Check} from '../../checks/check.js';

export const antreaChecks: readonly Check[] = [];
