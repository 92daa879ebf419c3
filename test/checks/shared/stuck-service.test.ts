import {describe, expect, it} from 'vitest';
import {isStuck} from '../../../src/checks/pending.js';
import {subjectOf} from '../../../src/diagnose/engine.js';
import {healthy, type Raw, type Scenario} from '../support.js';

const antrea = '01-antrea-healthy';
const minutesAgo = (minutes: number) => new Date(Date.parse('2026-03-03T10:41:07Z') - minutes * 60_000).toISOString();

/** The service of OVS in some state, without anything that says since when. */
function changing(State: string, more: object = {}): Scenario {
  return healthy(antrea)
    .section('services', services => {
      const service = services.find(({Name}: Raw) => Name === 'ovs-vswitchd');
      delete service.StartedAt;
      Object.assign(service, {State, StartMode: 'Manual', ProcessId: 0}, more);
    })
    .section('processes', processes => {
      processes.splice(0, processes.length, ...processes.filter(({Name}: Raw) => Name !== 'ovs-vswitchd.exe'));
    });
}

function stuck(changed: Scenario): boolean | undefined {
  const subject = subjectOf(changed.read(), 'winapp-01', 0);
  const service = subject.node.services?.find(({name}) => name === 'ovs-vswitchd');
  return service && isStuck(subject, service);
}

const withEvent = (changed: Scenario, event: object) =>
  changed.section('events', events => {
    events.push({
      TimeCreated: minutesAgo(1),
      LogName: 'System',
      ProviderName: 'Service Control Manager',
      Id: 7011,
      Message: 'A timeout was reached while waiting for a response from the ovs-vswitchd service.',
      ...event,
    });
  });

describe('a service that changes its state', () => {
  it('is stuck five minutes after it began to start', () => {
    expect(stuck(changing('Start Pending', {StartedAt: minutesAgo(5)}))).toBe(false);
    expect(stuck(changing('Start Pending', {StartedAt: minutesAgo(5.1)}))).toBe(true);
  });

  it('has been starting since its process was there', () => {
    const since = (minutes: number, pid = 77) =>
      changing('Start Pending', {ProcessId: pid}).section('processes', processes => {
        processes.unshift({Name: 'nssm.exe', ProcessId: 77, StartTime: minutesAgo(minutes)});
      });
    expect(stuck(since(1))).toBe(false);
    expect(stuck(since(9))).toBe(true);
    expect(stuck(since(9, 78))).toBeUndefined();
  });

  it('does not mistake the idle process for the one of a service that has none', () => {
    const idle = changing('Start Pending').section('processes', processes => {
      processes.push({Name: 'Idle', ProcessId: 0, StartTime: minutesAgo(90)});
    });
    expect(stuck(idle)).toBeUndefined();
  });

  it('has been starting since the boot where it starts by itself', () => {
    expect(stuck(changing('Start Pending', {StartMode: 'Auto'}))).toBe(true);
    expect(stuck(changing('Start Pending', {StartMode: 'Manual'}))).toBeUndefined();
  });

  it.each(['Stop Pending', 'Pause Pending', 'Continue Pending'])('concludes nothing from its age: %s', state => {
    expect(stuck(changing(state, {StartMode: 'Auto', StartedAt: minutesAgo(90)}))).toBeUndefined();
  });

  it.each([
    ['of a transaction', {}],
    ['of a connection', {Id: 7009}],
    ['of a start', {Id: 7022, Message: 'The OVS-VSWITCHD service hung on starting.'}],
    ['at the boot itself', {TimeCreated: '2026-02-24T03:12:40+00:00'}],
  ])('is stuck where the event log tells %s', (_, event) => {
    expect(stuck(withEvent(changing('Stop Pending'), event))).toBe(true);
  });

  it('is known in the event log by its title too', () => {
    const titled = changing('Stop Pending', {DisplayName: 'Virtueller Switch'});
    const event = {Id: 7022, Message: 'Der Dienst "Virtueller Switch" blieb beim Starten hängen.'};
    expect(stuck(withEvent(titled, event))).toBe(true);
    expect(stuck(withEvent(changing('Stop Pending', {DisplayName: ''}), event))).toBeUndefined();
  });

  it.each([
    ['of another service', {Message: 'The Windows Update service hung on starting.'}],
    ['from before the boot', {TimeCreated: '2026-02-24T03:12:39+00:00'}],
    ['without a time', {TimeCreated: undefined}],
    ['that says something else', {Id: 7036}],
    ['without an id', {Id: undefined}],
  ])('ignores an event %s', (_, event) => {
    expect(stuck(withEvent(changing('Stop Pending'), event))).toBeUndefined();
  });

  it('is stuck by one event among others', () => {
    expect(stuck(withEvent(withEvent(changing('Stop Pending'), {Id: 7036}), {}))).toBe(true);
  });

  it.each(['Running', 'Stopped', 'Paused'])('is in no such state: %s', state => {
    expect(stuck(withEvent(changing(state, {StartMode: 'Auto'}), {}))).toBeUndefined();
  });
});
