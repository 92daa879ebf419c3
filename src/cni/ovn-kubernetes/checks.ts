import type {Check} from '../../checks/check.js';

export const ovnKubernetesChecks: readonly Check[] = [];
