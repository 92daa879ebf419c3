import {describe, expect, it} from 'vitest';
import {healthy, type Raw, scenario} from '../support.js';

const antrea = '01-antrea-healthy';
const flannel = '06-flannel-overlay-healthy';
const hang = '14-hns-not-answering';

const service = (name: string, change: object) => (services: Raw[]) => {
  Object.assign(
    services.find(({Name}) => Name === name),
    change,
  );
};

describe('hns/service', () => {
  const id = 'hns/service';

  it('reports that HNS is stopped', () => {
    const stopped = healthy(antrea).section('services', service('hns', {State: 'Stopped'}));
    expect(stopped.failures(id)).toEqual(['Service hns is Stopped: pods cannot get a network.']);
  });

  it('reports that HNS is not installed if it does not answer either', () => {
    const missing = healthy(antrea)
      .section('services', services =>
        services.splice(0, services.length, ...services.filter(({Name}: Raw) => Name !== 'hns')),
      )
      .without('hnsNetworks', {kind: 'CommandNotFound', message: 'Get-HnsNetwork'});
    expect(missing.failures(id)[0]).toMatch(/does not exist/);
  });

  it('requires the VFP driver only for plugins without OVS', () => {
    const stopped = service('vfpext', {State: 'Stopped'});
    expect(healthy(flannel).section('services', stopped, 'fl-win-a').failures(id)).toHaveLength(1);
    expect(healthy(antrea).section('services', stopped).failures(id)).toEqual([]);
  });

  it('ignores that HNS starts on demand, and accepts a list without drivers', () => {
    const without = healthy(flannel).node(node => {
      node.sections.services = node.sections.services.filter(({Name}: Raw) => Name !== 'vfpext');
    });
    expect(without.failures(id)).toEqual([]);
  });

  it('explains a missing network', () => {
    const stopped = scenario('02-antrea-after-reboot').section('services', service('hns', {State: 'Stopped'}));
    expect(stopped.verdicts('hns/network-present')[0]?.causedBy).toContain(id);
  });
});

describe('hns/threads', () => {
  const id = 'hns/threads';
  const threads = (count: number) =>
    healthy(antrea).section('hnsService', hns => {
      hns.ThreadCount = count;
    });

  it.each([
    [200, 'pass', 'info'],
    [201, 'fail', 'warning'],
    [1000, 'fail', 'warning'],
    [1001, 'fail', 'error'],
  ])('diagnoses %i threads as %s, %s', (count, outcome, severity) => {
    expect(threads(count).verdicts(id)).toMatchObject([{outcome, severity}]);
  });

  it('counts the threads of the process if HNS does not answer', () => {
    expect(scenario(hang).failures(id)[0]).toContain('1317 threads');
  });

  it('is undetermined without either', () => {
    expect(scenario(hang).without('processes').outcomes(id)).toEqual(['unknown']);
  });
});

describe('hns/responds', () => {
  const id = 'hns/responds';

  it('is one finding for unanswered calls, and no other check fails because of it', () => {
    const {findings} = scenario(hang).run();
    const errors = findings.filter(({outcome, severity}) => outcome === 'fail' && severity === 'error');
    expect(errors.map(result => [result.id, result.causedBy])).toEqual([
      [id, undefined],
      ['hns/threads', [id]],
    ]);
  });

  it('fails if a call took five seconds', () => {
    const slow = healthy(antrea).section('hnsService', hns => {
      hns.RespondedMs = 5000;
    });
    expect(slow.failures(id)).toHaveLength(1);
  });

  it('is undetermined if HNS could not be called', () => {
    const denied = healthy(antrea).without('hnsService', {kind: 'AccessDenied', message: 'Access is denied.'});
    expect(denied.verdicts(id)).toMatchObject([{outcome: 'unknown', message: 'Access is denied.'}]);
  });
});

describe('hns/crash', () => {
  const id = 'hns/crash';
  const crash = {
    TimeCreated: '2026-03-03T09:00:00+00:00',
    LogName: 'System',
    ProviderName: 'Service Control Manager',
    Id: 7031,
    Message: 'The Host Network Service service terminated unexpectedly.  It has done this 2 time(s).',
  };
  const events = (...all: object[]) => healthy(antrea).section('events', list => list.push(...all));

  it('warns of each crash since the boot', () => {
    expect(events(crash, {...crash, Id: 7034}).verdicts(id)).toMatchObject([
      {outcome: 'fail', severity: 'warning', message: expect.stringContaining('crashed 2 times')},
    ]);
  });

  it('recognises the service by its localised title', () => {
    const german = events({...crash, Message: 'Der Dienst "Hostnetzwerkdienst" wurde unerwartet beendet.'}).section(
      'services',
      service('hns', {DisplayName: 'Hostnetzwerkdienst'}),
    );
    expect(german.failures(id)).toHaveLength(1);
  });

  it('is undetermined without that title', () => {
    const german = events({...crash, Message: 'Der Dienst "Hostnetzwerkdienst" wurde unerwartet beendet.'});
    expect(german.without('services').outcomes(id)).toEqual(['unknown']);
  });

  it.each([
    ['of another service', {Message: 'The Open vSwitch ovs-vswitchd service terminated unexpectedly.'}],
    ['from before the boot', {TimeCreated: '2026-02-24T03:00:00+00:00'}],
    ['that is not a crash', {Id: 7036, Message: 'The Host Network Service service entered the running state.'}],
    ['of another provider', {ProviderName: 'Application Popup'}],
  ])('does not count an event %s', (_, change) => {
    expect(events({...crash, ...change}).outcomes(id)).toEqual(['pass']);
  });
});
