import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {load} from 'js-yaml';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {loadScenario} from '../../src/sim/scenarios.js';
import {findPowerShell} from '../../src/sim/windows/powershell.js';
import {PowerShellProgram} from '../../src/sim/windows/program.js';
import {eventually} from '../eventually.js';
import {type Cluster, startClusterOf} from './support.js';

// A node with Docker cannot run HostProcess pods: the user takes the snapshot and runs the plan with the script alone.

const pwsh = findPowerShell();
const minutes = 60_000;
const name = 'kovn-win-1';

function dockerScenario() {
  const scenario = structuredClone(loadScenario('kube-ovn-reboot'));
  for (const node of scenario.nodes) if (node.name === name) node.faults.docker = true;
  return scenario;
}

describe.skipIf(pwsh === undefined)('a node with Docker', () => {
  const program = new PowerShellProgram(pwsh ?? '');
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startClusterOf(dockerScenario(), {helper: program});
  });
  afterAll(async () => {
    await cluster.close();
    await program[Symbol.asyncDispose]();
  });

  const at = (file: string) => join(cluster.folder, file);
  const script = (parameters: string[], typed = '') => {
    const node = cluster.simulation.helperNodeOf(name);
    if (!node) throw new Error(`there is no node ${name}`);
    return program.manually(node, [...parameters, '-NodeName', name], typed);
  };
  /** On a busy machine a section may time out: then the snapshot is taken again, as a user would. */
  const snapshot = (file: string) =>
    eventually('a snapshot with all sections', async () => {
      await script(['-Snapshot', '-OutFile', at(file)]);
      const {nodes} = JSON.parse(readFileSync(at(file), 'utf8')) as {
        nodes: Record<string, {errors: Record<string, {kind: string}>}>;
      };
      return !Object.values(nodes[name]?.errors ?? {}).some(({kind}) => kind === 'Timeout');
    });
  const failures = async (file: string) => {
    const {stdout, stderr} = await cluster.win('doctor', '--from', at(file), '-o', 'json');
    expect(stdout, stderr).not.toBe('');
    const {nodes} = JSON.parse(stdout) as {nodes: {results: {id: string; outcome: string; severity: string}[]}[]};
    return nodes.flatMap(({results}) => results.filter(({outcome}) => outcome === 'fail').map(({id}) => id));
  };

  it(
    'is snapshot, diagnosed, planned for, repaired and diagnosed again manually',
    async () => {
      expect((await cluster.win('doctor', name)).stdout).toContain('runs Docker');
      await snapshot('before.json');
      expect(await failures('before.json')).toContain('ovs/stale-bridge');

      const planned = await cluster.win('cleanup', '--from', at('before.json'), '-o', 'yaml');
      expect(planned.code, planned.stderr).toBe(0);
      writeFileSync(at('plan.yaml'), planned.stdout);
      const {manual, steps} = load(planned.stdout) as {manual: string; steps: {do: string}[]};
      expect(JSON.parse(Buffer.from(manual, 'base64').toString())).toMatchObject({kind: 'Plan', node: name, steps});

      // Without consent nothing changes.
      const declined = await script(['-RunPlanFile', at('plan.yaml')], 'no\n');
      expect(declined).toMatchObject({exitCode: 1, output: expect.stringContaining('Nothing was changed.')});
      for (const step of steps) expect(declined.output).toContain(step.do);

      const {exitCode, output} = await script(['-RunPlanFile', at('plan.yaml')], 'yes\n');
      expect(exitCode, output).toBe(0);
      expect(output).toContain('plan.end succeeded');

      await eventually('a healthy node', async () => {
        await snapshot('after.json');
        return !(await failures('after.json')).includes('ovs/stale-bridge');
      });
      expect(readFileSync(at('after.json'), 'utf8')).toContain('"state":"succeeded"');
      const errors = (await failures('after.json')).filter(id => !id.startsWith('platform/'));
      expect(errors).toEqual([]);
    },
    25 * minutes,
  );

  it(
    'rejects a plan for another node, and a file without a plan',
    async () => {
      const foreign = {apiVersion: 'kubectl-win/v1', kind: 'Plan', id: '6f1c94b0-53b0-4e9a-9d0b-0f6a7c1d2e3f'};
      const steps = [{do: 'service.restart', with: {name: 'ovs-vswitchd'}}];
      const text = JSON.stringify({...foreign, node: 'win-9', title: 't', createdAt: '2026-03-03T10:41:07Z', steps});
      writeFileSync(at('foreign.yaml'), `manual: ${Buffer.from(text).toString('base64')}\n`);
      expect(await script(['-RunPlanFile', at('foreign.yaml')], 'yes\n')).toMatchObject({
        exitCode: 1,
        output: expect.stringContaining(`The plan is for node win-9, not for ${name}.`),
      });
      writeFileSync(at('empty.yaml'), 'kind: RepairPlan\n');
      expect(await script(['-RunPlanFile', at('empty.yaml')], 'yes\n')).toMatchObject({
        exitCode: 1,
        output: expect.stringContaining('has 0 plans'),
      });
    },
    10 * minutes,
  );
});
