import type {Check} from '../../checks/check.js';

export const flannelChecks: readonly Check[] = [];
