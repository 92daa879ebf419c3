import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterEach, describe, expect, test} from 'vitest';
import type {DoctorReport} from '../../src/diagnose/report.js';
import type {RepairPlan} from '../../src/model/repair-plan.js';
import {type Cluster, startCluster, win} from './support.js';

const minutes = 60_000;
const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/cases/${name}.json`, import.meta.url));

let cluster: Cluster | undefined;
afterEach(async () => {
  await cluster?.close();
  cluster = undefined;
});

async function reportFrom(file: string): Promise<DoctorReport> {
  const {stdout} = await win(['doctor', '--from', file, '-o', 'json']);
  return JSON.parse(stdout) as DoctorReport;
}

const findings = (report: DoctorReport, node: string) =>
  report.nodes.find(({name}) => name === node)?.results.filter(({outcome}) => outcome === 'fail') ?? [];

describe('the remedy of a finding', () => {
  test.each([
    ['antrea-reboot', 'win-1'],
    ['flannel-reboot', 'fl-win-a'],
    ['calico-reboot', 'cal-win-1'],
    ['win-bridge-reboot', 'nb-win-3'],
  ])(
    'is what a cleanup would do now, in %s',
    async (scenario, node) => {
      cluster = await startCluster(scenario);
      const report = JSON.parse((await cluster.win('doctor', node, '-o', 'json')).stdout) as DoctorReport;
      const dryRun = await cluster.win('cleanup', node, '--dry-run=client', '-o', 'json');
      const told = findings(report, node).flatMap(({id, remedy}) =>
        remedy?.kind === 'command' && remedy.command === `kubectl win cleanup ${node}` ? [{id, remedy}] : [],
      );
      expect(dryRun.code, dryRun.stderr).toBe(0);
      const plan = JSON.parse(dryRun.stdout) as RepairPlan;
      expect(plan.kind).toBe('RepairPlan');
      expect(told.length).toBeGreaterThan(0);
      const cuts = [...plan.before, ...plan.steps, ...plan.after].some(step => step.cuts === true);
      for (const {id, remedy} of told) {
        expect(plan.repairs).toContain(id);
        expect({id, ...remedy}).toMatchObject({id, level: plan.level, cutsNetwork: cuts});
      }
    },
    2 * minutes,
  );

  test('is a drain and a reboot if HNS hangs and a cleanup would be refused', async () => {
    const report = await reportFrom(fixture('14-hns-not-answering'));
    const [node] = report.nodes;
    const all = findings(report, node?.name ?? '');
    expect(all.flatMap(({remedy}) => (remedy?.kind === 'command' ? [remedy.command] : []))).toEqual([]);
    expect(JSON.stringify(all)).toContain(`HNS hangs: drain ${node?.name} and reboot it.`);
  });

  test('names --resume and --rollback of an unfinished plan before anything else', async () => {
    const document = JSON.parse(readFileSync(fixture('02-antrea-after-reboot'), 'utf8'));
    const [name, dump] = Object.entries<{sections: {plans: unknown[]}}>(document.nodes)[0] ?? ['', undefined];
    dump?.sections.plans.push({id: 'p1', title: 'Remake the network', state: 'interrupted', steps: 7, done: 3});
    cluster = await startCluster('antrea-healthy');
    const file = join(cluster.folder, 'interrupted.json');
    writeFileSync(file, JSON.stringify(document));
    const {stdout} = await win(['doctor', '--from', file]);
    const plan = stdout.indexOf('repair/unfinished-plan');
    expect(plan).toBeGreaterThan(-1);
    const others = findings(await reportFrom(file), name).flatMap(({id}) =>
      id !== 'repair/unfinished-plan' && stdout.includes(id) ? [id] : [],
    );
    expect(others).toContain('ovs/stale-bridge');
    expect(others.filter(id => stdout.indexOf(id) < plan)).toEqual([]);
    expect(stdout).toContain(`kubectl win cleanup ${name} --resume`);
    expect(stdout).toContain(`kubectl win cleanup ${name} --rollback`);
    expect(findings(await reportFrom(file), name).find(({id}) => id === 'ovs/stale-bridge')?.remedy).toMatchObject({
      kind: 'manual',
      steps: [expect.stringContaining('--resume'), expect.stringContaining('was not finished')],
    });
  });

  test('depends on all checks, even if only some were requested', async () => {
    const file = fixture('02-antrea-after-reboot');
    const {stdout} = await win(['doctor', '--from', file, '-o', 'json', '--only', 'ovs/stale-bridge']);
    const some = JSON.parse(stdout) as DoctorReport;
    const node = some.nodes[0]?.name ?? '';
    const stale = (report: DoctorReport) => findings(report, node).find(({id}) => id === 'ovs/stale-bridge')?.remedy;
    expect(stale(some)).toBeDefined();
    expect(stale(some)).toEqual(stale(await reportFrom(file)));
  });
});
