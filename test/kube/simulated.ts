import type {V1Node} from '@kubernetes/client-node';
import {connect, type KubeClient} from '../../src/kube/client.js';
import {selectNodes} from '../../src/kube/select-nodes.js';
import {simulatedApi} from '../../src/sim/front.js';
import type {Scenario} from '../../src/sim/scenario.js';
import {loadScenario} from '../../src/sim/scenarios.js';
import {type Simulation, type SimulationOptions, startSimulation} from '../../src/sim/simulation.js';
import {checkSchema} from '../sim/schema.js';
import {temporaryFolder} from './temporary.js';

type NodeFaults = Scenario['nodes'][number]['faults'];

export interface SimulatedOptions
  extends Partial<Pick<Scenario, 'access' | 'namespaces' | 'kubernetes' | 'podSecurity'>> {
  /** All Windows nodes. */
  faults?: Partial<NodeFaults>;
}

export interface SimulatedCluster extends AsyncDisposable {
  client: KubeClient;
  simulation: Simulation;
  windowsNode(): Promise<V1Node>;
  /** Names of what is in the helpers' namespace, except the default objects of every namespace. */
  leftovers(namespace?: string): Promise<string[]>;
}

/** A cluster with Antrea and its client. */
export async function simulatedCluster(
  {faults = {}, ...changes}: SimulatedOptions = {},
  options: Pick<SimulationOptions, 'controllers'> = {},
): Promise<SimulatedCluster> {
  const scenario = loadScenario('antrea-healthy');
  const nodes = scenario.nodes.map(node =>
    node.os === 'windows' ? {...node, faults: {...node.faults, ...faults}} : node,
  );
  const simulation = await startSimulation({
    scenario: {...scenario, ...changes, nodes},
    api: simulatedApi(checkSchema),
    podStartMs: 10,
    podStopMs: 10,
    ...options,
  });
  using folder = temporaryFolder();
  const client = connect({kubeconfig: folder.write('config', simulation.kubeconfig)}, {});
  return {
    client,
    simulation,
    async windowsNode() {
      const [node] = await selectNodes(client, {});
      if (!node) throw new Error('the scenario has no Windows node');
      return node;
    },
    async leftovers(namespace = 'kubectl-win') {
      const lists = await Promise.all(
        ['pods', 'configmaps'].map(kind =>
          client.list<{metadata: {name: string}}>(`/api/v1/namespaces/${namespace}/${kind}`),
        ),
      );
      const names = lists.flatMap(({items}) => items.map(({metadata}) => metadata.name));
      return names.filter(name => name !== 'kube-root-ca.crt');
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await simulation.close();
    },
  };
}
