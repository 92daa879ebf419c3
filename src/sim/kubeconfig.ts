import {dump} from 'js-yaml';

/** A self-contained kubeconfig for the simulated cluster. */
export function kubeconfig(url: string, ca: string, user: string, token: string, name: string): string {
  return dump({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{name, cluster: {server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64')}}],
    users: [{name: user, user: {token}}],
    contexts: [{name, context: {cluster: name, user, namespace: 'default'}}],
    'current-context': name,
  });
}
