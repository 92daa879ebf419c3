import {type JsonObject, listAt} from '../../json.js';
import {type NodeState, rows} from '../../node/state.js';
import {startServices, stopServices} from '../services.js';
import {blocked, type Host, type StepInspection, type StepKind, same} from '../step.js';

export const serviceNamed = (state: NodeState, name: string): JsonObject | undefined =>
  rows(state, 'services').find(service => same(service.Name, name));

const isRunning = ({State}: JsonObject): boolean => State === 'Running';

/** The running ones among a service and its dependents: stopping it stops them too. */
function running(state: NodeState, name: string): string[] {
  const own = rows(state, 'services').filter(service => same(service.Name, name));
  const dependents = rows(state, 'services').filter(service =>
    listAt(service, 'DependsOn').some(needed => same(needed, name)),
  );
  return [...own, ...dependents].filter(isRunning).map(service => String(service.Name));
}

function inspect({state}: Host, name: string, wanted: 'Running' | 'Stopped'): StepInspection {
  const service = serviceNamed(state, name);
  if (!service) return blocked(`Service ${name} does not exist.`);
  const saved = {running: running(state, name), processId: Number(service.ProcessId)};
  return {done: service.State === wanted, saved, about: `Service ${name} is ${service.State}.`};
}

const savedRunning = (saved: unknown): string[] => listAt(saved, 'running').map(String);

export const startServiceStep: StepKind<'service.start'> = {
  atBoot: true,
  inspect: (host, {name}) => inspect(host, name, 'Running'),
  apply: (host, {name}) => startServices(host, [name]),
  undo({state}, {name}, saved) {
    if (saved != null && !savedRunning(saved).some(other => same(other, name))) stopServices(state, name);
  },
};

export const stopServiceStep: StepKind<'service.stop'> = {
  atBoot: true,
  inspect: (host, {name}) => inspect(host, name, 'Stopped'),
  apply: ({state}, {name}) => stopServices(state, name),
  undo: (host, _, saved) => startServices(host, savedRunning(saved)),
};

/** Done when the service has a new process. */
export const restartServiceStep: StepKind<'service.restart'> = {
  atBoot: true,
  inspect(host, {name}, saved) {
    const seen = inspect(host, name, 'Running');
    if (seen.blocked) return seen;
    const before = saved == null ? undefined : (saved as {processId?: number}).processId;
    const now = Number(serviceNamed(host.state, name)?.ProcessId);
    return {...seen, done: seen.done && before !== undefined && now !== before};
  },
  apply(host, {name}, saved) {
    if (running(host.state, name).length > 0) stopServices(host.state, name);
    // Services that ran before the step first acted, even if it was interrupted.
    startServices(host, [name, ...savedRunning(saved)]);
  },
  undo: 'none',
};
