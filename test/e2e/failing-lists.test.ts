import {expect, test} from 'vitest';
import {inParallel} from '../../src/lib/in-parallel.js';
import type {Disturbance, Disturbed} from '../../src/sim/api/disturbance.js';
import {nodeType} from '../../src/sim/api/resource-types.js';
import {at} from '../../src/sim/json.js';
import {alivePods, startFleet} from './cleanup-support.js';
import type {Cluster, Ended} from './support.js';

/**
 * Every list of a run fails permanently, from its first, second, ... time on: with 429, 500, or a dropped connection.
 * With KUBECTL_WIN_ALL_FAULTS every list fails in all three ways, otherwise in one of them in turn.
 */
const disturbances: readonly Disturbance[] = [{code: 429, retryAfter: 0}, {code: 500}, 'drop'];
const wayAt = (index: number): readonly Disturbance[] =>
  process.env.KUBECTL_WIN_ALL_FAULTS ? disturbances : [disturbances[index % 3] as Disturbance];

/** The name of a list: kind, namespace and selectors, without what differs between runs. Undefined: not a list. */
function listOf({method, path, target}: Disturbed): string | undefined {
  const {searchParams} = new URL(path, 'https://cluster');
  if (method !== 'GET' || !target || target.name !== undefined || searchParams.has('watch')) return undefined;
  const selectors = [searchParams.get('fieldSelector'), searchParams.get('labelSelector')].join(' ');
  return [target.type.plural, target.namespace ?? '', selectors.replace(/=[0-9a-f]{10}\b/, '=RUN')]
    .join(' ')
    .replace(/ +/g, ' ')
    .trim();
}

interface Position {
  readonly list: string;
  /** The first time in a run is 1. */
  readonly time: number;
}

/** Every list request of a run, with its occurrence number. */
async function positionsOf(args: readonly string[], code: number): Promise<Position[]> {
  const cluster = await start();
  try {
    const times = new Map<string, number>();
    const positions: Position[] = [];
    cluster.simulation.disturb(request => {
      const list = listOf(request);
      if (list === undefined) return undefined;
      const time = (times.get(list) ?? 0) + 1;
      times.set(list, time);
      positions.push({list, time});
      return undefined;
    });
    expect(await cluster.win(...args)).toMatchObject({code});
    return positions;
  } finally {
    await cluster.close();
  }
}

function failFrom(cluster: Cluster, {list, time}: Position, how: Disturbance): void {
  let seen = 0;
  cluster.simulation.disturb(request => {
    if (listOf(request) !== list) return undefined;
    seen += 1;
    return seen >= time ? how : undefined;
  });
}

/** A node with a finding that medium plans repair, and a running pod. */
const start = () => startFleet('without-extension', 1);
const isCordoned = ({simulation}: Cluster) =>
  at(simulation.store.get(nodeType, undefined, 'win-1'), 'spec', 'unschedulable') === true;

/** What is wrong with the outcome of a run; undefined: nothing. */
type Problems = (cluster: Cluster, position: Position, ended: Ended) => Promise<string[]>;

async function tryAll(args: readonly string[], code: number, problemsOf: Problems): Promise<string[]> {
  const positions = await positionsOf(args, code);
  expect(positions.length).toBeGreaterThan(10);
  const runs = positions.flatMap((position, index) => wayAt(index).map(how => ({position, how})));
  const wrong = await inParallel(runs, 3, async ({position, how}) => {
    const cluster = await start();
    try {
      const before = alivePods(cluster);
      failFrom(cluster, position, how);
      const ended = await cluster.win(...args, '--request-timeout=2s', '--timeout=45s');
      cluster.simulation.disturb(() => undefined);
      const text = ended.stdout + ended.stderr;
      const found = await problemsOf(cluster, position, ended);
      const kept = alivePods(cluster).map(({endpoint}) => endpoint);
      for (const {pod, endpoint} of before) if (!kept.includes(endpoint)) found.push(`the endpoint of ${pod} is gone`);
      if (isCordoned(cluster) && !text.includes('stays cordoned')) found.push('left cordoned without a word');
      if (/unexpected:|TypeError/.test(text)) found.push('crashed');
      const where = `${position.list}, time ${position.time}, ${JSON.stringify(how)}: exit ${ended.code}`;
      return found.map(each => `${where}: ${each}`);
    } finally {
      await cluster.close();
    }
  });
  return wrong.flat();
}

const isOfHelpers = ({list}: Position) => list.includes(' kubectl-win ');

/** The failed checks in doctor's JSON. */
function failedIn(text: string): string[] {
  const start = text.indexOf('{');
  const {nodes = []} = (start < 0 ? {} : JSON.parse(text.slice(start, text.lastIndexOf('}') + 1))) as {
    nodes?: {results: {id: string; outcome: string}[]}[];
  };
  return nodes.flatMap(({results}) => results.filter(({outcome}) => outcome === 'fail').map(({id}) => id));
}

test(
  'doctor: a failing list causes no finding, and no run is green',
  async () => {
    const found = new Set(['ovs/extension', 'cni/antrea-boot-hook']);
    const wrong = await tryAll(['doctor', '-o', 'json'], 1, async (cluster, position, {code, stdout, stderr}) => [
      ...(isOfHelpers(position) || code === 3 || code === 4 ? [] : ['neither 3 nor 4']),
      ...failedIn(stdout).filter(id => !found.has(id)),
      ...((await cluster.leftovers()) === '' || /could not be removed|helper prune/.test(stderr)
        ? []
        : ['left something']),
    ]);
    expect(wrong).toEqual([]);
  },
  20 * 60_000,
);

test(
  'cleanup: nothing is removed whose safety depends on a failed list, and nothing unverified is called verified',
  async () => {
    const args = ['cleanup', 'win-1', '--yes', '--level=medium', '--verify-timeout=10s'];
    const wrong = await tryAll(args, 0, async (cluster, position, {code, stdout, stderr}) => {
      const found: string[] = [];
      const isDone = /✓ 2\/\d+ /.test(stderr);
      if (!isDone && code !== 3 && code !== 4) found.push(`neither 3 nor 4: ${stdout}`);
      if (isDone && position.time === 1 && needed.includes(position.list)) found.push('changed something');
      if (code !== 0 && stdout.includes('and verified')) found.push(`called verified: ${stdout}`);
      if (code === 0 && (await cluster.win('doctor', 'win-1')).code !== 0) found.push('0, and the node is not healthy');
      return found;
    });
    expect(wrong).toEqual([]);
  },
  20 * 60_000,
);

/** What the plan depends on: which pods run on the node, and which plugin owns its network. */
const needed = ['nodes', 'pods spec.nodeName=win-1', 'daemonsets', 'deployments kube-system', 'configmaps kube-system'];
