import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, expect, it} from 'vitest';
import {sectionNames} from '../../src/snapshot/section-names.js';
import {ask, collect, describeHelper, dumpOf, machineFor, nativeSections, nodeOf, patience} from './powershell.js';
import {rows} from './state.js';

const node = nodeOf('01-antrea-healthy');
const wanted = sectionNames.filter(name => !nativeSections.includes(name));

describeHelper('a helper that keeps what it reads', () => {
  const machine = machineFor(node);
  afterAll(() => machine.dispose());

  it('answers from it if it is recent enough, and reads again if not', async () => {
    const asked = (maxAgeMs: number) =>
      ask(machine, collect(wanted, {maxAgeMs, probes: [{Target: '10.96.0.1:443', Kind: 'tcp'}]}));
    const kept = join(machine.folder, 'kubectl-win-kept.ndjson');
    const keeping = machine.start(['-Keep', '3600']);
    try {
      await expect.poll(() => existsSync(kept), {timeout: patience, interval: 200}).toBe(true);
    } finally {
      keeping.kill('SIGKILL');
    }
    const before = rows(node, 'services');
    machine.change(state => ({...state, sections: {...state.sections, services: []}}));

    const old = await asked(3_600_000);
    expect(old).toMatchObject({whole: true, noise: [], stderr: ''});
    expect(old.messages[1]).toMatchObject({type: 'kept', ageMs: expect.any(Number)});
    expect(dumpOf(old).sections.services).toHaveLength(before.length);
    expect(Object.keys(dumpOf(old).sections).sort()).toEqual([...wanted].sort());
    expect(dumpOf(old).sections.probes).toMatchObject([{Target: '10.96.0.1:443'}]);

    const fresh = await asked(1);
    expect(fresh.messages.some(({type}) => type === 'kept')).toBe(false);
    expect(dumpOf(fresh).sections.services).toEqual([]);
  });
});
