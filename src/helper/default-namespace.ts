/** The namespace of helper pods without `--helper-namespace`. */
export const defaultNamespace = 'kubectl-win';
