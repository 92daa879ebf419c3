/** A request that RBAC allows, but that an admission control in the cluster refuses. */
export interface AdmissionRefusal {
  /** What to do, as one sentence. */
  readonly next: string;
}

type Remedy = (namespace: string, ...found: string[]) => string;

/** Messages of the API server, and what to do about each. The first match counts. */
const remedies: readonly (readonly [RegExp, Remedy])[] = [
  [
    /in namespace (\S+) because it is being terminated/,
    (_, name) => `Wait until the namespace ${name} is deleted, then try again.`,
  ],
  [
    /exceeded quota: ([^\s,]+)/,
    (namespace, quota) => `Raise the ResourceQuota ${quota} of ${namespace}, or use another namespace.`,
  ],
  [
    /failed quota: ([^\s:]+): must specify ([\w.,-]+)/,
    (namespace, quota, fields) =>
      `Create a LimitRange in ${namespace} with defaults for ${fields}, which its ResourceQuota ${quota} requires, or use another namespace.`,
  ],
  [
    /(?:minimum|maximum) \S+ (?:usage|limit to request ratio) per (?:Container|Pod)|must be less than or equal to \S+ limit/,
    namespace => `Change the LimitRange of ${namespace} so that it allows this pod, or use another namespace.`,
  ],
  [
    /error looking up service account ([^\s/]+)\/([^\s:]+):/,
    (_, namespace, account) =>
      `Create it with "kubectl create serviceaccount ${account} -n ${namespace}", and check that kube-controller-manager, which normally creates it, is running.`,
  ],
  [
    // Our own policy (manifests/admission-policy.yaml).
    /ValidatingAdmissionPolicy 'kubectl-win-helper'.* denied request:/,
    () => 'Add the image or the script hash to the ConfigMap kubectl-win-policy, or use one that it allows.',
  ],
  [
    /ValidatingAdmissionPolicy '([^']+)'.* denied request:/,
    (namespace, policy) => `Exempt ${namespace} from the ValidatingAdmissionPolicy ${policy}.`,
  ],
  [
    /admission webhook "([^"]+)" denied the request/,
    (namespace, webhook) => `Exempt ${namespace} from the admission webhook ${webhook}.`,
  ],
  [
    /failed calling webhook "([^"]+)"/,
    (namespace, webhook) =>
      `Repair the admission webhook ${webhook}, which does not answer, or exempt ${namespace} from it.`,
  ],
  [
    /violates PodSecurity "/,
    namespace => `Allow privileged pods in ${namespace}: label it pod-security.kubernetes.io/enforce=privileged.`,
  ],
  [/denied the request/, namespace => `Exempt ${namespace} from that admission policy.`],
];

/** Recognises an admission refusal by the text of the response. */
export function admissionRefusal(words: string, namespace?: string): AdmissionRefusal | undefined {
  for (const [pattern, next] of remedies) {
    const found = pattern.exec(words);
    if (found) return {next: next(namespace ? `namespace ${namespace}` : 'the namespace', ...found.slice(1))};
  }
  return undefined;
}
