// The simulated cluster of the benchmark, in a process of its own. It listens to its parent for what to tell.
import {helperCommand, helperConfigMap, helperPod} from '../../../src/helper/manifests.js';
import {protocol} from '../../../src/helper/protocol.js';
import {encodeRequest} from '../../../src/helper/wire.js';
import {parseScenario} from '../../../src/sim/scenarios.js';
import {startSimulation} from '../../../src/sim/simulation.js';
import {sectionNames} from '../../../src/snapshot/section-names.js';
import {delaysOf} from './delays.mjs';
import {hostOf, RecordedAnswers} from './recorded.js';

const [nodes = '10', mode = 'pods'] = process.argv.slice(2);

/** Mostly healthy Antrea nodes with a few pods each; one of fifty has been rebooted. */
function scenario(count: number): string {
  const rebooted = Math.max(1, Math.floor(count / 50));
  return `description: a fleet of ${count} Windows nodes
kubernetes: v1.34.2
podNetwork: 10.128.0.0/9
plugins: { antrea: { version: v2.2.0 } }
nodes:
  - { name: ctl-1, os: linux, controlPlane: true, address: 10.40.0.11/16, podCIDR: 10.128.0.0/24 }
  - { name: "win-{i}", replicas: ${count - rebooted}, address: 10.40.16.1/16, podCIDR: 10.132.0.0/24 }
  - { name: "off-{i}", replicas: ${rebooted}, address: 10.40.8.1/16, podCIDR: 10.180.0.0/24, events: [reboot] }
workloads:
  - { name: storefront, namespace: shop }
  - { name: invoicer, namespace: shop }
  - { name: mailer, namespace: shop }
`;
}

const hostDelays = new Map<string, number>();
const helper = new RecordedAnswers(host => hostDelays.get(host) ?? 0);
const simulation = await startSimulation({
  scenario: parseScenario('fleet', scenario(Number(nodes))),
  helper,
  podStartMs: 0,
  podStopMs: 0,
  controllers: mode === 'daemonset',
});
const names: string[] = [];
for (const node of simulation.nodes.values()) {
  if (node.os !== 'windows') continue;
  names.push(node.name);
  const {startMs, collectMs} = delaysOf(node.name);
  node.faults.slowStart = startMs;
  hostDelays.set(hostOf(node.name), collectMs);
  helper.record(node);
}

/** What a script needs to do the same with kubectl. */
function forScripts() {
  const identity = {run: 'script', namespace: 'kubectl-win', owner: 'a script'};
  const configMap = helperConfigMap(identity);
  const name = configMap.metadata?.name ?? '';
  return {
    shared: configMap,
    pod: helperPod({...identity, name: '__NAME__', node: '__NODE__', configMap: name, lifetimeSeconds: 1800}),
    command: helperCommand,
    request: encodeRequest({
      protocol,
      request: 'collect',
      deadlineMs: 90_000,
      sectionTimeoutMs: 10_000,
      sections: sectionNames,
      probes: [],
    }),
  };
}

process.on('message', () => {
  const {user, system} = process.cpuUsage();
  process.send?.({...simulation.traffic?.(), processorMs: (user + system) / 1000});
});
process.on('disconnect', () => process.exit());
process.send?.({kubeconfig: simulation.kubeconfig, names, forScripts: forScripts()});
setInterval(() => {}, 60_000);
