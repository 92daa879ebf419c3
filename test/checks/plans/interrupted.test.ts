import {describe, expect, it} from 'vitest';
import {healthy} from '../support.js';

const id = 'repair/unfinished-plan';
const plans = (...all: unknown[]) => healthy('01-antrea-healthy').section('plans', list => list.push(...all));
const begin = {type: 'journal', plan: 'p1', seq: 0, at: '2026-03-03T10:00:00Z', event: 'plan.begin', mode: 'run'};
const end = (outcome: string) => ({...begin, seq: 9, event: 'plan.end', outcome});

describe('repair/unfinished-plan', () => {
  it('recommends --resume for an interrupted plan', () => {
    const [found] = plans({id: 'p1', title: 'Remake the network', state: 'interrupted', steps: 7, done: 3}).verdicts(
      id,
    );
    expect(found).toMatchObject({
      outcome: 'fail',
      severity: 'error',
      message: expect.stringContaining('Plan "Remake the network" p1 was interrupted'),
      evidence: [{seen: 'interrupted, 3 of 7 steps done'}],
      remedy: {
        command: 'kubectl win cleanup winapp-01 --resume',
        or: 'kubectl win cleanup winapp-01 --rollback',
        cutsNetwork: true,
      },
    });
  });

  it.each(['stored', 'failed', 'rollbackFailed'])('fails for a plan that is %s', state => {
    expect(plans({id: 'p1', state}).outcomes(id)).toEqual(['fail']);
  });

  it.each(['succeeded', 'rolledBack'])('accepts a plan that has %s', state => {
    expect(plans({id: 'p1', state}).outcomes(id)).toEqual(['pass']);
  });

  it('only informs about a running plan', () => {
    expect(plans({id: 'p1', state: 'running'}).outcomes(id)).toEqual(['info']);
  });

  it('reads the journal if there is nothing else', () => {
    expect(plans([begin]).failures(id)[0]).toContain('Plan p1 was interrupted');
    expect(plans([begin, end('succeeded')]).outcomes(id)).toEqual(['pass']);
    expect(plans(begin, {...begin, plan: 'p2'}, end('succeeded')).failures(id)).toEqual([
      expect.stringContaining('Plan p2 was interrupted'),
    ]);
    expect(plans({Id: 'p1', Journal: [begin]}).outcomes(id)).toEqual(['fail']);
    expect(plans({Id: 'p1', Journal: [begin, end('failed')]}).outcomes(id)).toEqual(['fail']);
    expect(
      plans({id: 'p1', steps: [{do: 'wait.until'}], journal: `${JSON.stringify(begin)}\n{"event":"st`}).outcomes(id),
    ).toEqual(['fail']);
  });

  it('does not pass a plan whose state is unknown', () => {
    expect(plans({id: 'p1'}).outcomes(id)).toEqual(['unknown']);
  });
});

describe('repair/left-cordoned', () => {
  const cordoned = (annotations: object, ...all: unknown[]) =>
    plans(...all).object('Node', 'winapp-01', node => {
      node.spec.unschedulable = true;
      node.metadata.annotations = {...node.metadata.annotations, ...annotations};
    });
  const mark = {'kubectl-win/cordoned-by': 'p1'};
  const own = 'repair/left-cordoned';

  it('finds a node that a plan cordoned and did not uncordon', () => {
    expect(cordoned(mark, {id: 'p1', state: 'succeeded'}).verdicts(own)[0]).toMatchObject({
      outcome: 'fail',
      severity: 'warning',
      message: expect.stringContaining('Plan p1 cordoned the node'),
      evidence: [{object: 'Node winapp-01', field: 'kubectl-win/cordoned-by', seen: 'p1'}],
      remedy: {command: 'kubectl win cleanup winapp-01'},
    });
  });

  it('follows from an unfinished plan', () => {
    expect(cordoned(mark, {id: 'p1', state: 'failed'}).verdicts(own)[0]).toMatchObject({causedBy: [id]});
  });

  it('is not a finding while that plan runs, or if the user cordoned the node', () => {
    expect(cordoned(mark, {id: 'p1', state: 'running'}).outcomes(own)).toEqual(['info']);
    expect(cordoned({}, {id: 'p1', state: 'succeeded'}).outcomes(own)).toEqual(['pass']);
  });
});
