import {defineConfig} from 'vitest/config';
import {viteTextModules} from '../../scripts/text-modules.mjs';
import {findBinaries} from './binaries.js';

const binaries = findBinaries();
const isThere = !('missing' in binaries);

// Other tools read this file too and do not need this.
if (!isThere && process.env.VITEST) {
  process.stderr.write(
    [
      '',
      '  SKIPPED: no test ran against a real API server.',
      `  ${binaries.missing}. It names a folder with etcd and kube-apiserver,`,
      '  such as the one that "setup-envtest use -p path" prints.',
      '',
      '',
    ].join('\n'),
  );
}

/** The common suites, and those that need a real API server. */
export default defineConfig({
  plugins: [viteTextModules],
  test: {
    include: isThere
      ? [
          'test/apiserver/**/*.real.ts',
          'test/e2e/{doctor,cleanup,annotate-tunnel,helper,refused-helper,unread-lists,api-restart,broken-wire}*.test.ts',
          'test/sim/{admission,eviction,exec,node-taints}.test.ts',
        ]
      : [],
    passWithNoTests: !isThere,
    env: {KUBECTL_WIN_TEST_API: 'real'},
    disableConsoleIntercept: true,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    maxWorkers: 1,
  },
});
