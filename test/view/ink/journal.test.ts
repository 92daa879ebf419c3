import {expect, test} from 'vitest';
import type {JournalEntry} from '../../../src/model/plan.js';
import type {RepairPlan} from '../../../src/model/repair-plan.js';
import {openStepReporter} from '../../../src/view/step-reporter.js';
import {Screen} from './screen.js';

const plan: Pick<RepairPlan, 'before' | 'steps' | 'after' | 'deadMan'> = {
  before: [{do: 'node.cordon', with: {node: 'win-1'}}],
  steps: [
    {do: 'ovs.deleteBridge', with: {bridge: 'br-int'}},
    {
      do: 'hns.removeNetwork',
      with: {id: 'f6736c72-9ad2-4045-bf83-26f9b7dff657', name: 'antrea-hnsnetwork'},
      cuts: true,
    },
  ],
  after: [],
  deadMan: {address: '10.21.40.61', apiServer: '10.21.40.11:6443', withinSeconds: 120},
};

const entry = (rest: object) => ({plan: 'p', seq: 0, at: '2026-03-02T09:12:50Z', ...rest}) as unknown as JournalEntry;

test('a live journal keeps finished steps, shows the current one, and waits for a node that was cut off', async () => {
  const err = new Screen(100);
  const streams = {out: err, err, env: {}};
  const reporter = await openStepReporter('win-1', plan, streams, {alone: true});
  const [cordon] = plan.before;
  if (cordon) reporter.client(cordon, 'begin');
  await err.shows(/win-1 {2}1\/3 Cordons win-1\. {2}\d+ s/);
  if (cordon) reporter.client(cordon, 'end');
  reporter.journal(entry({event: 'step.begin', step: 0, do: 'ovs.deleteBridge'}));
  await err.shows(/2\/3 Deletes bridge br-int/);
  reporter.journal(entry({event: 'step.end', step: 0, do: 'ovs.deleteBridge', outcome: 'done', ms: 3}));
  reporter.journal(entry({event: 'step.begin', step: 1, do: 'hns.removeNetwork'}));
  reporter.lost(12);
  await err.shows(/Connection lost as expected, waiting for the node to come back \(1\d s of at most 120\)/);
  reporter.found();
  reporter.journal(
    entry({
      event: 'step.failed',
      step: 1,
      do: 'hns.removeNetwork',
      error: {kind: 'Failed', message: 'HNS said no'},
      ms: 9,
    }),
  );
  reporter.end();
  const text = await err.shows(/HNS said no/);
  expect(text.split('\n').filter(line => line !== '')).toEqual([
    'win-1  ✓ 1/3 Cordons win-1.',
    'win-1  ✓ 2/3 Deletes bridge br-int and its ports from the OVS database.',
    'win-1  ✓ The node is back.',
    'win-1  ✗ Failed: Removes HNS network antrea-hnsnetwork. HNS said no',
  ]);
});

test('for several concurrent nodes, or without colour, the journal is plain lines', async () => {
  for (const [alone, env] of [
    [false, {}],
    [true, {NO_COLOR: '1'}],
  ] as const) {
    const err = new Screen();
    const reporter = await openStepReporter('win-1', plan, {out: err, err, env}, {alone});
    const [cordon] = plan.before;
    if (cordon) reporter.client(cordon, 'begin');
    expect(err.text()).toBe('');
    if (cordon) reporter.client(cordon, 'end');
    reporter.lost(0);
    const text = await err.shows(/Waiting for it/);
    expect(text).toMatch(/^win-1 {2}✓ 1\/3 Cordons win-1\.$/m);
    reporter.end();
  }
});
