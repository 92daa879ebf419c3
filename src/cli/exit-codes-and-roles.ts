import type {ExitCode} from '../lib/errors.js';
import type {roleTitle} from '../session/rights.js';

/** What exit codes of a command mean, by code. `others` is for a command that ends as another one does. */
export type ExitCodes = Readonly<Partial<Record<ExitCode, string>>> & {readonly others?: string};

/** A cluster role of manifests/rbac.yaml. */
export type Role = ReturnType<typeof roleTitle>;

/** Of commands that ask no cluster. */
export const asksNobody: ExitCodes = {0: 'done', 2: 'invalid usage or input'};

/** Of commands that ask the API server, and find nothing wrong or right. */
export const asksCluster: ExitCodes = {
  ...asksNobody,
  3: 'access denied',
  4: 'the API server could not be reached',
};

export const lookRoles: readonly Role[] = ['kubectl-win-look'];
export const inspectRoles: readonly Role[] = [...lookRoles, 'kubectl-win-inspect'];
export const repairRoles: readonly Role[] = [...inspectRoles, 'kubectl-win-repair'];
/** Of those who see what helpers are in the cluster. */
export const helperRoles: readonly Role[] = ['kubectl-win-inspect'];
/** Of those who keep the helper on nodes. */
export const installRoles: readonly Role[] = [...helperRoles, 'kubectl-win-install'];
