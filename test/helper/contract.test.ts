import {afterAll, expect, it} from 'vitest';
import {loadScenario} from '../../src/sim/scenarios.js';
import {type Simulation, startSimulation} from '../../src/sim/simulation.js';
import type {WindowsMachine} from '../../src/sim/windows/machine.js';
import {type NodeModel, readNode} from '../../src/snapshot/node.js';
import {sectionNames} from '../../src/snapshot/section-names.js';
import {ask, collect, describeHelper, dumpOf, machineFor} from './powershell.js';
import {rows} from './state.js';

const machines: WindowsMachine[] = [];
const simulations: Simulation[] = [];
afterAll(async () => {
  for (const machine of machines) await machine.dispose();
  for (const simulation of simulations) await simulation.close();
});

describeHelper('the simulated node and the helper', () => {
  it.each(['antrea-healthy', 'antrea-reboot', 'kube-ovn', 'flannel-overlay'])(
    'say the same of scenario %s: one model from both',
    async name => {
      const simulation = await startSimulation({scenario: loadScenario(name)});
      simulations.push(simulation);
      const windows = [...simulation.nodes.values()].filter(({os}) => os === 'windows').slice(0, 2);
      expect(windows).not.toEqual([]);
      for (const node of windows) {
        const machine = await machineFor(node.state);
        machines.push(machine);
        const probes = rows(node.state, 'probes').map(({Target, Kind}) => ({Target, Kind}));
        const answer = await ask(machine, collect(sectionNames, {probes}));
        expect(answer.whole).toBe(true);
        const simulated = comparable(readNode(node.name, node.state));
        expect(comparable(readNode(node.name, dumpOf(answer)))).toEqual(simulated);
      }
    },
    120_000,
  );
});

/** A model without durations, without what Windows does not tell of drivers, and with its lists in one order. */
function comparable(model: NodeModel): unknown {
  const {services, files, logs, probes, hnsService, plans, scheduledTasks, ...rest} = model;
  const byName = <Row extends object>(list: readonly Row[] | undefined): unknown[] =>
    [...(list ?? [])].map(row => JSON.stringify(row, (_, value) => value ?? undefined)).toSorted();
  return {
    ...rest,
    services: byName(services?.map(({startedAt, description, ...service}) => service)),
    files: byName(files?.filter(({exists}) => exists).map(({length, ...file}) => file)),
    logs: byName(logs?.map(({length, ...log}) => log)),
    probes: byName(probes?.map(({ms, ...probe}) => probe)),
    hnsService: hnsService && {...hnsService, respondedMs: 0},
    scheduledTasks: byName(scheduledTasks),
  };
}
