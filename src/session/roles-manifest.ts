import {type AccessRole, type Right, type RoleName, roles, roleTitle} from './rights.js';

const width = 116;

const head = `# What a person needs in order to use "kubectl win", as roles. Cluster administrators have all of it already.
# Written by "npm run docs" from src/session/rights.ts, which the access checks use, too.
# Bind them to people or groups, for example:
${(Object.keys(roles) as RoleName[]).map(bindingExample).join('\n')}
# Beware: who may start HostProcess pods is an administrator of the Windows nodes.
`;

/** manifests/rbac.yaml. */
export function rolesManifest(): string {
  const documents = (Object.keys(roles) as RoleName[]).map(name => roleText(name, roles[name]));
  return `${head}\n${documents.join('---\n')}`;
}

function bindingExample(name: RoleName): string {
  const title = roleTitle(name);
  const what = roles[name].scope === 'cluster' ? `clusterrolebinding ${title}` : `rolebinding ${title} -n kubectl-win`;
  return `#   kubectl create ${what} --clusterrole=${title} --group=windows-operators`;
}

function roleText(name: RoleName, {about, rights}: AccessRole): string {
  return `${comment(about, '')}apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: ${roleTitle(name)}
  labels:
    app.kubernetes.io/name: kubectl-win
rules:
${rights.map(ruleText).join('')}`;
}

function ruleText({verbs, group = '', resources, names, why}: Right): string {
  return `${why ? comment(why, '  ') : ''}  - apiGroups: [${group || '""'}]
    resources: [${resources.join(', ')}]
${names ? `    resourceNames: [${names.join(', ')}]\n` : ''}    verbs: [${verbs.join(', ')}]
`;
}

/** Text as comment lines of a bearable length. */
function comment(text: string, indent: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${indent}# ${word}`);
  }
  return `${lines.join('\n')}\n`;
}
