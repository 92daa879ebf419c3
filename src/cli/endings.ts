import type {ExitCode} from '../lib/errors.js';

/** What exit codes of a command mean, by code. `others` is for a command that ends as another one does. */
export type ExitCodes = Readonly<Partial<Record<ExitCode, string>>> & {readonly others?: string};

/** The cluster roles of manifests/rbac.yaml. */
export type Role = 'kubectl-win-read' | 'kubectl-win-helper' | 'kubectl-win-repair';

/** Of commands that ask no cluster. */
export const asksNobody: ExitCodes = {0: 'done', 2: 'usage, or bad input'};

/** Of commands that ask the API server, and find nothing wrong or right. */
export const asksCluster: ExitCodes = {
  ...asksNobody,
  3: 'access denied',
  4: 'the API server could not be asked',
};

export const readRoles: readonly Role[] = ['kubectl-win-read'];
export const helperRoles: readonly Role[] = ['kubectl-win-read', 'kubectl-win-helper'];
export const repairRoles: readonly Role[] = [...helperRoles, 'kubectl-win-repair'];
export const fleetRoles: readonly Role[] = ['kubectl-win-helper'];
