// Starts the simulated cluster in its own process.
import {fork} from 'node:child_process';
import {once} from 'node:events';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {rolldown} from 'rolldown';
import {viteTextModules} from '../../text-modules.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Bundles the program of the cluster into one file in a folder. */
export async function bundleCluster(folder) {
  const outfile = join(folder, 'cluster.mjs');
  const build = await rolldown({
    input: join(here, 'cluster.ts'),
    platform: 'node',
    transform: {target: 'node24'},
    plugins: [viteTextModules],
  });
  await build.write({file: outfile, format: 'esm', codeSplitting: false});
  await build.close();
  return outfile;
}

/** A cluster with this many nodes; `mode` is `daemonset` if its controllers are needed. */
export async function startCluster(program, nodes, mode, folder) {
  const child = fork(program, [String(nodes), mode], {stdio: ['ignore', 'inherit', 'inherit', 'ipc']});
  const [{kubeconfig, names, forScripts}] = await once(child, 'message');
  const path = join(folder, `kubeconfig-${nodes}-${mode}`);
  writeFileSync(path, kubeconfig, {mode: 0o600});
  return {
    names,
    forScripts,
    kubeconfig: path,
    /** Its statistics about clients, and its processor time, since the last call. */
    async seen() {
      const answer = once(child, 'message');
      child.send('seen');
      const [seen] = await answer;
      return seen;
    },
    close: () => child.disconnect(),
  };
}
