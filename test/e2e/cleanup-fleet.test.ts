import {expect, it} from 'vitest';
import {nodeType, podType} from '../../src/sim/api/resource-types.js';
import {listAt, textAt} from '../../src/sim/json.js';
import {startFleet} from './cleanup-support.js';
import type {Cluster} from './support.js';

const nodes = 20;
/** In processing order. */
const names = Array.from({length: nodes}, (_, index) => `win-${index + 1}`).sort();

/** What a repair changes first: the stale bridge, the agent's pod, and whether the node is schedulable. */
function untouched({simulation}: Cluster, name: string): unknown {
  const {state} = simulation.nodes.get(name) ?? {};
  const agents = [...simulation.store.all(podType)].filter(
    pod => textAt(pod, 'spec', 'nodeName') === name && pod.metadata.name.startsWith('antrea-agent-windows'),
  );
  return {
    bridges: listAt(state?.sections.ovs, 'Tables', 'Bridge', 'data').length,
    agents: agents.map(({metadata}) => metadata.uid),
    spec: simulation.store.get(nodeType, undefined, name).spec,
  };
}

it('cleanup of 20 nodes stops at a node that does not recover, and changes none after it', async () => {
  const cluster = await startFleet('rebooted', nodes, {pace: {stepMs: 10, timeScale: 0.01, cutMs: 100, retryMs: 100}});
  try {
    const [first = '', second = '', third = '', lost = '', ...rest] = names;
    cluster.simulation.nodes.get(lost)?.fault({uplinkLost: true});
    const before = rest.map(name => untouched(cluster, name));
    const {code, stdout} = await cluster.win('cleanup', ...names, '--yes', '--verify-timeout=8s');
    expect(code).toBe(1);
    for (const name of [first, second, third]) expect(stdout).toContain(`${name}: repaired and verified`);
    expect(stdout).toContain(`No new pod of DaemonSet antrea-agent-windows became ready on ${lost} in time.`);
    expect(stdout).toContain(`${lost} stays cordoned`);
    for (const name of rest) expect(stdout).toContain(`${name}: skipped: the run stopped at ${lost}`);
    expect(rest.map(name => untouched(cluster, name))).toEqual(before);
    const {stdout: seen} = await cluster.kubectl('get', 'nodes', '--no-headers');
    expect(seen.split('\n').filter(line => /NotReady/.test(line))).toEqual([expect.stringContaining(`${lost} `)]);
  } finally {
    await cluster.close();
  }
}, 300_000);

it('cleanup shows, runs and reports nodes in the given order', async () => {
  const cluster = await startFleet('rebooted', 3, {pace: {stepMs: 10, timeScale: 0.01, cutMs: 100, retryMs: 100}});
  try {
    const named = ['win-3', 'win-1', 'win-2'];
    const {code, stdout, stderr} = await cluster.win('cleanup', ...named, '--yes', '--verify-timeout=60s');
    const nodesOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, node]) => node);
    expect(nodesOf(stderr, /^Antrea on (\S+): /gm)).toEqual(named);
    expect(nodesOf(stderr, /^(\S+) {2}✓ 1\//gm)).toEqual(named);
    expect(nodesOf(stdout, /^(\S+): repaired and verified$/gm)).toEqual(named);
    expect(code).toBe(0);
  } finally {
    await cluster.close();
  }
}, 300_000);
