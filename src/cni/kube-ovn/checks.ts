import type {Check} from '../../checks/check.js';

export const kubeOvnChecks: readonly Check[] = [];
