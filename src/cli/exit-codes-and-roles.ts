import type {ExitCode} from '../lib/errors.js';
import type {roleTitle} from '../session/rights.js';

/** The meaning of a command's exit codes. `others` is for a command that returns the exit code of another command. */
export type ExitCodes = Readonly<Partial<Record<ExitCode, string>>> & {readonly others?: string};

/** A cluster role of manifests/rbac.yaml. */
export type Role = ReturnType<typeof roleTitle>;

/** For commands that do not contact a cluster. */
export const offlineExitCodes: ExitCodes = {0: 'done', 2: 'invalid usage or input'};

/** For commands that contact the API server but report no problems. */
export const clusterExitCodes: ExitCodes = {
  ...offlineExitCodes,
  3: 'access denied',
  4: 'the API server could not be reached',
};

export const lookRoles: readonly Role[] = ['kubectl-win-look'];
export const inspectRoles: readonly Role[] = [...lookRoles, 'kubectl-win-inspect'];
export const repairRoles: readonly Role[] = [...inspectRoles, 'kubectl-win-repair'];
/** To list the helpers in the cluster. */
export const helperRoles: readonly Role[] = ['kubectl-win-inspect'];
/** To install the helper on nodes. */
export const installRoles: readonly Role[] = [...helperRoles, 'kubectl-win-install'];
