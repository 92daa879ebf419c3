import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {parseScenario} from '../../src/sim/scenarios.js';
import {startSimulation} from '../../src/sim/simulation.js';
import {Cluster} from '../e2e/support.js';
import {AuditLog} from './audit.js';
import {realApi} from './real-api.js';

/** `KUBECTL_WIN_SCALE` is the number of nodes; 1 means a thousand. */
const asked = Number(process.env.KUBECTL_WIN_SCALE ?? 1);
const nodes = asked > 1 ? asked : 1000;
const podsOnEach = 6;

/**
 * Seven pods per node, including the agent. Every backend of a Service is an HNS endpoint on every node, so only few
 * are, or the state of the simulated nodes would grow quadratically.
 */
const scenario = `description: a large cluster
kubernetes: v1.31.4
podNetwork: 10.128.0.0/9
plugins: { flannel: { backend: vxlan } }
nodes:
  - { name: ctl, os: linux, controlPlane: true, address: 10.20.0.11/16, podCIDR: 10.128.0.0/24 }
  - { name: "win-{i}", replicas: ${nodes}, address: 10.20.1.1/16, podCIDR: 10.129.0.0/24 }
workloads:
${Array.from({length: podsOnEach}, (_, index) => `  - { name: app-${index}, namespace: shop, service: false }`).join('\n')}
  - { name: front, namespace: shop, replicas: 60 }
`;

/** Takes minutes and prints durations for docs/performance.md; runs only on request. */
test.skipIf(!process.env.KUBECTL_WIN_SCALE)(
  `doctor and nodes of ${nodes} nodes`,
  async () => {
    const api = realApi();
    const started = performance.now();
    const cluster = new Cluster(await startSimulation({scenario: parseScenario('large', scenario), api}));
    const log = new AuditLog(api.plane.auditLog);
    try {
      process.stdout.write(`seeded in ${seconds(started)} s, ${[...cluster.simulation.nodes].length} nodes\n`);
      for (const args of [['nodes'], ['doctor', '--no-helper'], ['doctor', '--timeout=30m', '-o', 'short']]) {
        log.next();
        const since = performance.now();
        const running = cluster.start(...args);
        let most = 0;
        const timer = setInterval(() => {
          most = Math.max(most, memory(running.child.pid));
        }, 50);
        const {code, stderr} = await running.ended.finally(() => clearInterval(timer));
        const requests = log.next();
        process.stdout.write(
          `${args.join(' ')}: exit ${code}, ${seconds(since)} s, ${requests.length} requests, ${Math.round(most / 1024)} MiB\n`,
        );
        expect([0, 1], stderr.slice(-2000)).toContain(code);
      }
      expect(await cluster.leftovers()).toBe('');
    } finally {
      await cluster.close();
    }
  },
  3_600_000,
);

const seconds = (since: number) => ((performance.now() - since) / 1000).toFixed(1);

/** The current memory of a process in KiB. */
function memory(pid: number | undefined): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
