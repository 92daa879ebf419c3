import {type Right, type RoleName, roles} from '../src/session/rights.js';
import type {AccessRule} from '../src/sim/api/access.js';
import type {Scenario, ScenarioAccess} from '../src/sim/scenario.js';

export type RoleRule = AccessRule & {verbs: string[]; apiGroups: string[]; resources: string[]};

/** One rule per right, bound as in the manifest. */
export function rightsOf(...names: readonly RoleName[]): RoleRule[] {
  return names.flatMap(name =>
    (roles[name].rights as readonly Right[]).flatMap(({verbs, group = '', resources, names}) =>
      verbs.flatMap(verb =>
        resources.map(resource => ({
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          ...(names && {resourceNames: [...names]}),
          ...(roles[name].scope === 'helper namespace' && {namespaces: ['kubectl-win']}),
        })),
      ),
    ),
  );
}

export const everyRole = Object.keys(roles) as RoleName[];

const labels = {'pod-security.kubernetes.io/enforce': 'privileged'};

/** A scenario whose user has these rules, and the namespace that an administrator created. */
export function withRules(scenario: Scenario, rules: readonly RoleRule[]): Scenario {
  const access = {user: 'operator', rules, others: {}} as unknown as ScenarioAccess;
  return {...scenario, access, namespaces: {'kubectl-win': {labels}}};
}

/** A rule in the notation of the audit log and error messages, such as `patch daemonsets.apps`. */
export const ruleName = ({verbs, apiGroups, resources}: RoleRule) =>
  `${verbs[0]} ${resources[0]}${apiGroups[0] ? `.${apiGroups[0]}` : ''}`;
