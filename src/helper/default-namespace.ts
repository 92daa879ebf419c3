/** Where helper pods run unless `--helper-namespace` names another one. */
export const defaultNamespace = 'kubectl-win';
