// The simulated cluster of the benchmark, in its own process. It answers queries of its parent process.
import {helperCommand, helperConfigMap, helperPod} from '../../../src/helper/manifests.js';
import {protocol} from '../../../src/helper/protocol.js';
import {encodeRequest} from '../../../src/helper/wire.js';
import {startSimulation} from '../../../src/sim/simulation.js';
import {sectionNames} from '../../../src/snapshot/section-names.js';
import {delaysOf} from './delays.mjs';
import {hostOf, RecordedAnswers} from './recorded.js';
import {fleetScenario} from './scenario.js';

const [nodes = '10', mode = 'pods'] = process.argv.slice(2);

const hostDelays = new Map<string, number>();
const helper = new RecordedAnswers(host => hostDelays.get(host) ?? 0);
const simulation = await startSimulation({
  scenario: fleetScenario(Number(nodes)),
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

/** The files that a script needs to do the same with kubectl. */
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
