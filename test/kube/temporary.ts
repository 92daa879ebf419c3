import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';

export interface TemporaryFolder extends Disposable {
  path: string;
  /** Writes a file in the folder and returns its path. */
  write(name: string, content: string): string;
}

export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'kubectl-win-test-'));
  return {
    path,
    write(name, content) {
      const file = join(path, name);
      mkdirSync(dirname(file), {recursive: true});
      writeFileSync(file, content);
      return file;
    },
    [Symbol.dispose]: () => rmSync(path, {recursive: true, force: true}),
  };
}

/** A kubeconfig with one context. */
export function kubeconfigText(server: string, {cluster = '', user = 'token: secret', context = 'test'} = {}): string {
  return `apiVersion: v1
kind: Config
current-context: ${context}
clusters:
- name: local
  cluster: {server: "${server}"${cluster && `, ${cluster}`}}
users:
- name: someone
  user: {${user}}
contexts:
- name: ${context}
  context: {cluster: local, user: someone}
`;
}
