import {describe, expect, it} from 'vitest';
import {collect, type NodeCollectOptions} from '../../src/helper/collect-sections.js';
import {HelperRun} from '../../src/helper/helper-run.js';
import {ExitCode} from '../../src/lib/errors.js';
import {helperFault} from '../../src/sim/node/faults.js';
import {simulatedCluster} from '../kube/simulated.js';

const sections = ['os', 'hnsNetworks', 'hnsEndpoints', 'netAdapters', 'services'];

/** Collects from a node whose helper has a fault. */
async function collectWith(
  fault: {kind: string; once?: boolean; afterLines?: number},
  more: Partial<NodeCollectOptions> = {},
) {
  await using cluster = await simulatedCluster({faults: {helper: helperFault.parse(fault)}});
  const run = new HelperRun(cluster.client, {startTimeoutMs: 5000});
  try {
    const session = await run.open(await cluster.windowsNode());
    return await collect(session, {sections, deadlineMs: 5000, sectionTimeoutMs: 1000, pauseMs: 0, ...more});
  } finally {
    await run.close();
    expect(await cluster.leftovers()).toEqual([]);
  }
}

describe('a node whose answer is damaged on the wire', () => {
  it.each(['cut', 'truncate', 'halfLine', 'empty', 'onlyGarbage'])(
    'is read the second time if it was %s once',
    async kind => {
      const {interrupted, read} = await collectWith({kind, once: true});
      const {errors, sections: all} = read();
      expect(interrupted).toBeUndefined();
      expect(errors).toEqual({});
      expect(Object.keys(all).sort()).toEqual([...sections].sort());
    },
  );

  it.each(['cut', 'truncate', 'halfLine'])('gives what arrived if it is always %s', async kind => {
    const {interrupted, read} = await collectWith({kind, afterLines: 3});
    const {errors, sections: arrived} = read();
    expect(interrupted).toMatch(/after 3 lines/);
    expect(Object.keys(arrived)).toHaveLength(2);
    expect(Object.keys(errors)).toHaveLength(3);
  });

  it.each(['empty', 'onlyGarbage'])('counts as not inspected if its answer is always %s', async kind => {
    await expect(collectWith({kind})).rejects.toMatchObject({
      message: expect.stringContaining('was interrupted'),
      exit: ExitCode.uninspected,
    });
  });

  it('is dropped in time if it never answers', async () => {
    await expect(collectWith({kind: 'silent'}, {helloTimeoutMs: 100})).rejects.toMatchObject({
      message: expect.stringContaining('no greeting within 0.1s'),
    });
  });

  it('is rejected if it runs another script', async () => {
    await expect(collectWith({kind: 'wrongHash'})).rejects.toMatchObject({
      message: expect.stringContaining('runs a different script'),
    });
  });

  it('is read despite other output, which is kept apart', async () => {
    const {interrupted, noise} = await collectWith({kind: 'garbage'});
    expect(interrupted).toBeUndefined();
    expect(noise).toContain('Windows PowerShell');
  });
});
