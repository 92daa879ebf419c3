import type {Check} from '../../checks/check.js';

export const calicoChecks: readonly Check[] = [];
