import {expect, test, vi} from 'vitest';
import {allChecks, runNodeChecks, subjectOf} from '../../src/diagnose/engine.js';
import {check} from '../../src/model/check.js';
import {nodeModelOf} from '../../src/snapshot/node.js';
import {sectionReaders} from '../../src/snapshot/sections.js';
import {scenario} from '../checks/support.js';

const forever = (): never => {
  for (;;) if (Math.random() > 2) throw new Error('unreachable');
};

test('a check that does not end is undetermined, and the others have their results', () => {
  const snapshot = scenario('01-antrea-healthy').read();
  const [name = ''] = snapshot.nodes.keys();
  const endless = check({
    id: 'net/endless',
    title: 'The check ends',
    failure: 'The check does not end',
    severity: 'error',
    needs: [],
    run: forever,
    explain: {meaning: '', why: '', see: [], fix: [], sources: []},
  });
  const subject = subjectOf(snapshot, name, 0);
  const [first, ...others] = runNodeChecks(subject, [endless, ...allChecks]).map(({result}) => result);
  expect(first).toMatchObject({
    id: 'net/endless',
    outcome: 'unknown',
    message: 'Undetermined: the check did not finish within 2 s.',
  });
  expect(others).toEqual(runNodeChecks(subject, allChecks).map(({result}) => result));
});

test('a section whose reader does not end is an error of that section alone', () => {
  const reader = vi.spyOn(sectionReaders, 'plans').mockImplementation(forever);
  const dump = {sections: {plans: [], services: [{Name: 'hns', State: 'Running'}]}, errors: {}};
  const {errors, plans, services} = nodeModelOf('win-1', dump);
  reader.mockRestore();
  expect(errors).toEqual({plans: {kind: 'Failed', message: 'section plans could not be parsed within 2 s'}});
  expect(plans).toBeUndefined();
  expect(services?.map(({name}) => name)).toEqual(['hns']);
});
