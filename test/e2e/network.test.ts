import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, describe, expect, it} from 'vitest';

const bin = fileURLToPath(new URL('../../bin/kubectl-win', import.meta.url));
const alone = (script: string) =>
  spawnSync('unshare', ['-n', 'sh', '-c', `ip link set lo up 2>/dev/null || ifconfig lo up; ${script}`], {
    encoding: 'utf8',
  });
const canLeave = process.platform === 'linux' && alone('grep -q lo: /proc/net/dev').status === 0;
if (!canLeave) process.stderr.write('SKIPPED test/e2e/network.test.ts: needs root and unshare (util-linux).\n');

const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-network-'));
afterAll(() => rmSync(folder, {recursive: true, force: true}));

/** Commands that read, change, and write files; only loopback exists, with the cluster on it. */
const commands = [
  ['nodes', '0'],
  ['version', '0'],
  ['doctor --no-helper', '1'],
  ['doctor', '1'],
  ['inspect win-1', '0'],
  ['preflight antrea win-1', '[014]'],
  ['collect -f bundle.tar.gz', '0'],
  ['doctor --from bundle.tar.gz', '1'],
  ['logs win-1', '0'],
  ['events win-1', '0'],
  ['diff win-1 win-1', '[012]'],
  ['helper install', '0'],
  ['helper status', '0'],
  ['helper uninstall', '0'],
  ['helper prune', '0'],
  ['cleanup win-1 --yes', '0'],
  ['cleanup win-1 --history', '0'],
  ['explain ovs/stale-bridge', '0'],
];

describe.runIf(canLeave)('in a network namespace with only loopback', () => {
  it('every command works: none connects to anything but the API server', () => {
    const lines = commands.map(
      ([line, code]) =>
        `timeout 100 kubectl-win ${line} >out 2>&1; case $? in ${code}) ;; *) echo "${line}: $?"; cat out;; esac`,
    );
    writeFileSync(join(folder, 'all.sh'), `${lines.join('\n')}\n`);
    // Any other name or address fails here immediately.
    const {stdout, stderr, status} = alone(
      `cd ${folder}; PATH="${bin.replace(/\/[^/]*$/, '')}:$PATH" HOME=${folder} ${bin} demo --scenario antrea-reboot -- sh all.sh`,
    );
    expect([status, stdout, stderr.replace(/^.*simulated.*$/gm, '').trim()]).toEqual([0, '', '']);
  }, 300_000);
});
