import type {Check} from '../../checks/check.js';

export const azureChecks: readonly Check[] = [];
