import {afterEach, expect, test} from 'vitest';
import {type InspectOptions, withInspection} from '../../src/session/inspection.js';
import {phaseLimits} from '../../src/session/phases.js';
import {silent} from '../../src/session/progress.js';
import {parseScenario} from '../../src/sim/scenarios.js';
import {type Simulation, startSimulation} from '../../src/sim/simulation.js';
import {temporaryFolder} from '../kube/temporary.js';

const scenario = parseScenario(
  'several',
  `description: five healthy Windows nodes
kubernetes: v1.34.2
podNetwork: 10.128.0.0/9
plugins: { antrea: { version: v2.2.0 } }
nodes:
  - { name: ctl-1, os: linux, controlPlane: true, address: 10.40.0.11/16, podCIDR: 10.128.0.0/24 }
  - { name: "win-{i}", replicas: 5, address: 10.40.16.1/16, podCIDR: 10.132.0.0/24 }
`,
);

let simulation: Simulation;
afterEach(() => simulation?.close());

async function read(more: Partial<InspectOptions>) {
  using folder = temporaryFolder();
  const options = {
    connection: {kubeconfig: folder.write('config', simulation.kubeconfig)},
    names: [],
    concurrency: undefined,
    helperTimeout: 30_000,
    timeout: 60_000,
    ...more,
  };
  return withInspection(options, silent, new AbortController().signal, inspection => inspection.read());
}

test('pods start while the rest of the cluster is read, and no node is read before', async () => {
  simulation = await startSimulation({scenario, podStartMs: 10, podStopMs: 10});
  const order: string[] = [];
  simulation.disturb(({method, path, target}) => {
    if (method === 'POST' && target?.type.plural === 'pods') order.push('pod');
    if (path.includes('/exec')) order.push('exec');
    if (!path.startsWith('/apis/apps/v1/daemonsets')) return undefined;
    setTimeout(() => order.push('DaemonSets'), 1500);
    return {delayMs: 1600};
  });
  const {names, failures} = await read({});
  expect([...failures]).toEqual([]);
  expect(names).toHaveLength(5);
  expect(order.slice(0, 6)).toEqual([...Array(5).fill('pod'), 'DaemonSets']);
  expect(order.filter(what => what === 'exec')).toHaveLength(5);
});

test('no more nodes are read than the caller has taken', async () => {
  simulation = await startSimulation({scenario, podStartMs: 10, podStopMs: 10});
  let execs = 0;
  let taken = 0;
  let most = 0;
  simulation.disturb(({path}) => {
    if (path.includes('/exec')) execs += 1;
    return undefined;
  });
  const onRead = async () => {
    await new Promise(resolve => setTimeout(resolve, 400));
    most = Math.max(most, execs - taken);
    taken += 1;
  };
  await read({concurrency: 2, onRead, keep: false});
  expect(taken).toBe(5);
  expect(most).toBe(2);
});

test('as many nodes are read at once as asked for, and pods of the next ones start meanwhile', () => {
  expect(phaseLimits(1, undefined)).toEqual({reading: 1, starting: 1});
  expect(phaseLimits(70, undefined)).toEqual({reading: 64, starting: 70});
  expect(phaseLimits(1000, undefined)).toEqual({reading: 64, starting: 128});
  expect(phaseLimits(1000, 10)).toEqual({reading: 10, starting: 10});
  expect(phaseLimits(0, undefined)).toEqual({reading: 1, starting: 1});
});
