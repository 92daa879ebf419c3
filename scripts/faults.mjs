import {spawnSync} from 'node:child_process';
import {parseArgs} from 'node:util';

// npm run test:faults -- --seed N --runs M [--parallel P] [--table FILE]
const {values} = parseArgs({
  options: {
    seed: {type: 'string'},
    runs: {type: 'string', default: '300'},
    parallel: {type: 'string'},
    table: {type: 'string'},
  },
});
const names = {seed: 'SEED', runs: 'RUNS', parallel: 'PARALLEL', table: 'TABLE'};
const env = {...process.env};
for (const [flag, name] of Object.entries(names)) if (values[flag]) env[`KUBECTL_WIN_FAULT_${name}`] = values[flag];
const {status} = spawnSync('npx', ['vitest', 'run', 'test/faults/faults.test.ts'], {env, stdio: 'inherit'});
process.exitCode = status ?? 1;
