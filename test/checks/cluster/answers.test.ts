import {describe, expect, it} from 'vitest';
import {diagnose} from '../../../src/diagnose/diagnose.js';
import {subjectOf} from '../../../src/diagnose/engine.js';
import {byRootCause} from '../../../src/diagnose/root-causes.js';
import {fixesFor} from '../../../src/repair/plan/fixes-without-cut.js';
import {sectionNames} from '../../../src/snapshot/section-names.js';
import {reportView} from '../../../src/view/text/report.js';
import {healthy, type Raw, type Scenario, scenario} from '../support.js';

const antrea = '01-antrea-healthy';

function report(changed: Scenario) {
  const snapshot = changed.read();
  return diagnose({snapshot, names: [...snapshot.nodes.keys()], failures: new Map(), selection: {}, now: new Date(0)});
}

const roots = (changed: Scenario) => byRootCause(report(changed).nodes[0]?.results ?? []).map(({root}) => root.id);

const lost = (kind: string, message: string, count: number = sectionNames.length) =>
  healthy(antrea).node(node => {
    for (const section of sectionNames.slice(0, count)) {
      delete node.sections[section];
      node.errors[section] = {kind, message};
    }
  });

const unreachable = (changed: Scenario) =>
  changed
    .object('Node', 'winapp-01', ({status}) => {
      const ready = status.conditions.find(({type}: Raw) => type === 'Ready');
      Object.assign(ready, {
        status: 'Unknown',
        reason: 'NodeStatusUnknown',
        message: 'Kubelet stopped posting node status.',
        lastTransitionTime: '2026-03-03T09:58:00Z',
      });
    })
    .object('Pod', /^antrea-agent-windows/, ({status}) => {
      status.conditions = [{type: 'Ready', status: 'False'}];
    });

describe('cluster/node-answers', () => {
  const id = 'cluster/node-answers';

  it('is the only finding of a node that does not answer, with what the API says about it and since when', () => {
    const silent = unreachable(lost('Timeout', 'no answer in 60 s'));
    expect(roots(silent)).toEqual([id]);
    expect(silent.failures(id)).toEqual([
      `The node did not respond to any of ${sectionNames.length} requests in time. The API reports it as unreachable since 2026-03-03T09:58:00Z (NodeStatusUnknown: Kubelet stopped posting node status.).`,
    ]);
  });

  it('is only a warning while the API reports the node as Ready', () => {
    expect(lost('Timeout', 'no answer').verdicts(id)[0]).toMatchObject({outcome: 'fail', severity: 'warning'});
  });

  it('passes if anything was answered, and does not apply if the node was not inspected', () => {
    expect(lost('Timeout', 'no answer', 20).outcomes(id)).toEqual(['pass']);
    expect(healthy(antrea).outcomes(id)).toEqual(['pass']);
    const unasked = healthy(antrea).node(node => {
      node.sections = {};
    });
    expect(unasked.outcomes(id)).toEqual(['skipped']);
  });
});

describe('cluster/helper-access', () => {
  const id = 'cluster/helper-access';

  it('is one finding with its cause, and one line for everything that is unknown', () => {
    const denied = lost('AccessDenied', 'Access is denied.');
    expect(roots(denied)).toEqual([id]);
    expect(denied.failures(id)).toEqual([
      `Access is denied to ${sectionNames.length} of ${sectionNames.length} sections: the helper does not run as SYSTEM.`,
    ]);
    const lines = reportView().text(report(denied), {colour: false}).split('\n');
    expect(lines.filter(line => /undetermined: Access is denied/.test(line))).toHaveLength(1);
  });

  it('does not cover single refusals', () => {
    expect(lost('AccessDenied', 'Access is denied.', 4).outcomes(id)).toEqual(['pass']);
  });
});

describe('a repair that cannot reach the node', () => {
  const cleanups = (changed: Scenario) =>
    changed.run().findings.filter(({remedy}) => remedy?.kind === 'command' && /cleanup/.test(remedy.command));

  const fixes = (changed: Scenario) => {
    const subject = subjectOf(changed.read(), changed.document.nodes['win-blue'] ? 'win-blue' : 'winapp-01', 0);
    return fixesFor(changed.run().findings, subject, ['none', 'blip']);
  };

  it('is offered while the node can be reached', () => {
    const changed = scenario('02-antrea-after-reboot');
    expect(cleanups(changed).length).toBeGreaterThan(0);
    expect(fixes(changed).length).toBeGreaterThan(0);
  });

  it('is not offered for a node that the API reports as unreachable: the console commands are', () => {
    const changed = scenario('02-antrea-after-reboot').object('Node', 'win-blue', ({status}) => {
      status.conditions.find(({type}: Raw) => type === 'Ready').status = 'Unknown';
    });
    expect(cleanups(changed)).toEqual([]);
    expect(fixes(changed)).toEqual([]);
    const [stale] = changed.verdicts('ovs/stale-bridge');
    expect(stale?.remedy?.kind === 'manual' && stale.remedy.steps.join('\n')).toMatch(
      /^A repair over the API cannot reach the node: it has not reported to the API server[\s\S]*del-br br-int[\s\S]*helper script/,
    );
  });

  it('is not offered for a node whose address is on no adapter', () => {
    const changed = scenario('02-antrea-after-reboot').section('netIPAddresses', addresses => {
      addresses.splice(0, addresses.length, ...addresses.filter(({IPAddress}: Raw) => IPAddress !== '172.19.8.44'));
    });
    expect(changed.outcomes('net/node-ip-owner')).toEqual(['fail']);
    expect(cleanups(changed)).toEqual([]);
    expect(fixes(changed)).toEqual([]);
    const [stale] = changed.verdicts('ovs/stale-bridge');
    expect(stale?.remedy?.kind === 'manual' && stale.remedy.steps[0]).toMatch(
      /cannot reach the node: no adapter has its address/,
    );
  });
});

describe('what the API says of a node that does not answer', () => {
  const id = 'cluster/node-answers';
  const said = (change: (conditions: Raw[]) => void) =>
    lost('Timeout', 'no answer')
      .object('Node', 'winapp-01', ({status}) => change(status.conditions))
      .verdicts(id)[0];
  const ready = (rest: object) => (conditions: Raw[]) =>
    Object.assign(
      conditions.find(({type}) => type === 'Ready'),
      {reason: undefined, message: undefined, lastTransitionTime: undefined, ...rest},
    );

  it.each([
    [
      {status: 'True', lastTransitionTime: '2026-03-01T00:00:00Z'},
      'The API reports it as Ready since 2026-03-01T00:00:00Z.',
    ],
    [{status: 'False', reason: 'KubeletNotReady'}, 'The API reports it as not Ready (KubeletNotReady).'],
    [{status: 'Unknown'}, 'The API reports it as unreachable.'],
  ])('is reported: %j', (condition, words) => {
    const found = said(ready(condition));
    expect(found?.message.endsWith(` requests in time. ${words}`)).toBe(true);
    expect(found?.evidence).toMatchObject([{seen: 'timed out'}, {field: 'Ready', seen: condition.status}]);
    expect(found?.severity).toBe(condition.status === 'True' ? 'warning' : 'error');
  });

  it('is nothing, where it has no condition, or no Node', () => {
    const found = said(conditions => conditions.splice(0));
    expect(found?.message).toMatch(/The API has no Ready condition for it\.$/);
    expect(found?.evidence[1]).toMatchObject({field: 'Ready', seen: null});
    const gone = lost('Timeout', 'no answer').removeObjects(({kind}) => kind === 'Node');
    expect(gone.verdicts(id)[0]?.evidence).toHaveLength(1);
  });
});

describe('a helper that is denied access', () => {
  const id = 'cluster/helper-access';
  /** So many sections are denied, and the others are not there at all, but for some that were read. */
  const denied = (count: number, read: number) =>
    healthy(antrea)
      .node(node => {
        const known = Object.keys(node.sections).slice(0, read);
        const others = sectionNames.filter(section => !known.includes(section));
        for (const section of others) delete node.sections[section];
        node.errors = Object.fromEntries(
          others.slice(0, count).map(section => [section, {kind: 'AccessDenied', message: 'Access is denied.'}]),
        );
      })
      .verdicts(id)[0];

  it('is reported where that is most of what was asked, and at least three', () => {
    expect(denied(3, 0)).toMatchObject({
      outcome: 'fail',
      message: `Access is denied to 3 of ${sectionNames.length} sections: the helper does not run as SYSTEM.`,
      evidence: [{seen: 'Access is denied.'}],
    });
    expect(denied(2, 0)?.outcome).toBe('pass');
    expect(denied(5, 4)?.outcome).toBe('fail');
    expect(denied(5, 5)?.outcome).toBe('pass');
  });
});
