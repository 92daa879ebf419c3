import {afterAll, expect, it} from 'vitest';
import {reportedNode} from '../../src/sim/helper/collect.js';
import {networkState} from '../../src/sim/plans/saved-network.js';
import type {Host} from '../../src/sim/plans/step.js';
import {applyStep, inspectStep} from '../../src/sim/plans/steps/kinds.js';
import {Random} from '../../src/sim/random.js';
import {loadScenario} from '../../src/sim/scenarios.js';
import {type Simulation, startSimulation} from '../../src/sim/simulation.js';
import type {WindowsMachine} from '../../src/sim/windows/machine.js';
import type {NodeDump} from '../../src/snapshot/document.js';
import {type NodeModel, nodeModelOf} from '../../src/snapshot/node.js';
import {sectionNames} from '../../src/snapshot/section-names.js';
import {eventually} from '../eventually.js';
import {deadMan, everyStep, nodeForEveryStep} from './every-step.js';
import {addGates, gate, journalOf, openGate, planOf, runPlan, store} from './plans.js';
import {ask, collect, describeHelper, dumpOf, machineFor, nativeSections, patience} from './powershell.js';
import {essence, rows} from './state.js';

const machines: WindowsMachine[] = [];
const simulations: Simulation[] = [];
afterAll(async () => {
  for (const machine of machines) await machine.dispose();
  for (const simulation of simulations) await simulation.close();
});

describeHelper('the simulated node and the helper', () => {
  it.each(['antrea-healthy', 'antrea-reboot', 'kube-ovn', 'flannel-overlay'])(
    'report the same for scenario %s: one model from both',
    async name => {
      const simulation = await startSimulation({scenario: loadScenario(name)});
      simulations.push(simulation);
      const windows = [...simulation.nodes.values()].filter(({os}) => os === 'windows').slice(0, 2);
      expect(windows).not.toEqual([]);
      for (const node of windows) {
        const machine = machineFor(node.state);
        machines.push(machine);
        const probes = rows(node.state, 'probes').map(({Target, Kind}) => ({Target, Kind}));
        const wanted = sectionNames.filter(section => !nativeSections.includes(section));
        const answer = await ask(machine, collect(wanted, {probes}));
        expect(answer.whole).toBe(true);
        const {errors, sections} = reportedNode(node.state);
        for (const section of nativeSections) {
          delete sections[section];
          delete errors[section];
        }
        const simulated = comparable(nodeModelOf(node.name, {sections, errors}));
        expect(comparable(nodeModelOf(node.name, dumpOf(answer)))).toEqual(simulated);
      }
    },
    patience,
  );
});

/** A model without durations, without what Windows does not report about drivers, and with sorted lists. */
function comparable(model: NodeModel): unknown {
  const {services, files, logs, probes, hnsService, plans, scheduledTasks, firewall, ...rest} = model;
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
    // On Windows a rule that was created without a name also has one.
    firewall: firewall && {...firewall, rules: byName(firewall.rules.map(({name, ...rule}) => rule))},
  };
}

describeHelper('the steps of the simulated node and of the helper', () => {
  it('have the same effect, each of them', async () => {
    const node = nodeForEveryStep();
    const steps = everyStep(node);
    const gates = steps.map((_, index) => `gate-${index}`);
    addGates(node, gates);
    const plan = planOf(
      steps.flatMap((step, index) => [step, gate(gates[index] ?? '')]),
      {deadMan},
    );
    const machine = machineFor(node);
    machines.push(machine);
    store(machine, plan);
    const {ended} = runPlan(machine, plan, 'Run');
    const simulated = simulatedHost(node);
    for (const [index, step] of steps.entries()) {
      const {saved} = inspectStep(simulated, step, undefined);
      if (!inspectStep(simulated, step, saved).done) applyStep(simulated, step, saved);
      await eventually(`step ${2 * index + 1}, after ${step.do}`, () =>
        journalOf(machine, plan.id).some(entry => entry.event === 'step.begin' && entry.step === 2 * index + 1),
      );
      for (const name of gates.slice(0, index)) openIn(simulated.state, name);
      expect(withoutTasks(machine.read()), step.do).toEqual(withoutTasks(simulated.state));
      openGate(machine, gates[index] ?? '');
    }
    await ended;
  }, 300_000);
});

/** The guard is a task that the plan registers, not a step. */
function withoutTasks(state: NodeDump): Record<string, unknown> {
  const {tasks: _, ...rest} = essence(state);
  return rest;
}

function simulatedHost(node: NodeDump): Host {
  const state = structuredClone(node);
  const lease = {address: deadMan.address, prefix: 24, gateway: deadMan.gateway, servers: ['10.21.40.5']};
  return {
    state,
    folder: {id: '', text: '', hash: '', network: networkState(structuredClone(node)), journal: [], removed: new Map()},
    now: new Date(),
    random: new Random('contract'),
    leaseFor: () => lease,
    unreachable: () => undefined,
    silent: [],
  };
}

function openIn(state: NodeDump, name: string): void {
  for (const row of rows(state, 'services')) if (row.Name === name) row.State = 'Running';
}
