import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Readable} from 'node:stream';
import {expect} from 'vitest';
import {AnswerReader} from '../../src/helper/answer-reader.js';
import {resolveConnection} from '../../src/kube/kubeconfig.js';
import {WinError} from '../../src/lib/errors.js';
import {labelSelector} from '../../src/lib/label-selector.js';
import {review} from '../../src/repair/plan/review-plan-file.js';
import {refusalOf} from '../../src/repair/steps/all.js';
import {readPlanFile} from '../../src/services/cleanup/plan-file.js';
import {readBundle} from '../../src/session/bundle-file.js';
import {readSnapshotFile} from '../../src/session/snapshot-file.js';
import {nodeModelOf} from '../../src/snapshot/node.js';
import {patient} from '../repair/support.js';

/** A reader of external input. It accepts any bytes or rejects them with a message, and never fails otherwise. */
export type Target = (input: Buffer) => Promise<unknown>;

async function withFile<Result>(bytes: Buffer, use: (path: string) => Promise<Result> | Result): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-fuzz-'));
  try {
    const path = join(folder, 'input');
    writeFileSync(path, bytes);
    return await use(path);
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}

/** A rejection with a message is not a failure. */
async function inWords(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WinError)) throw error;
    expect(error.message).not.toBe('');
    return undefined;
  }
}

const flannel = patient('06-flannel-overlay-healthy', 'fl-win-a');
const antrea = patient('01-antrea-healthy');
export const samplePlan = flannel.plan({level: 'soft', force: true}, []);
const allowedPaths = /^c:\\(var\\lib\\cni\\|sourcevip\\|openvswitch\\|k\\|windows\\system32\\azure-vnet)/i;

export const targets = {
  wire: async input => {
    const reader = new AnswerReader('win-1', () => {});
    await inWords(() => {
      const middle = input.length >> 1;
      reader.write(input.subarray(0, middle));
      reader.write(input.subarray(middle));
    });
    // Without its end, an answer is never complete.
    if (!input.includes('"end"')) expect(reader.fault('')).toBeDefined();
  },
  snapshot: input => withFile(input, path => inWords(() => readSnapshotFile(path))),
  bundle: input => inWords(() => readBundle(Readable.from([input]), 'input')),
  ovsdb: async input => {
    const text = input.toString('utf8');
    let data: unknown = text;
    try {
      data = JSON.parse(text);
    } catch {}
    const model = nodeModelOf('win-1', {sections: {ovs: data, ovsFlows: data}, errors: {}} as never);
    return inWords(() => [model.ovs?.bridges, model.ovsFlows]);
  },
  kubeconfig: input => withFile(input, path => inWords(() => resolveConnection({kubeconfig: path}, {}))),
  plan: input =>
    withFile(input, async path => {
      const plans = (await inWords(() => readPlanFile(path))) as (typeof samplePlan)[] | undefined;
      for (const plan of plans ?? []) {
        const {hash} = samplePlan;
        // A plan that is accepted must have this hash: what runs is what was created.
        if (review(plan, flannel.subject(), {force: true}).kind === 'ready') expect(plan.hash).toBe(hash);
      }
    }),
  selector: async input => {
    let select: ReturnType<typeof labelSelector>;
    try {
      select = labelSelector(input.toString('utf8'));
    } catch (error) {
      expect((error as Error).message).toContain('unable to parse requirement');
      return;
    }
    // Labels that no object has select nothing, even if every JavaScript object has a property of that name.
    const [term = ''] = input.toString('utf8').split(',');
    if (/^[A-Za-z_]+$/.test(term.trim())) expect(select({})).toBe(false);
  },
  windowsPath: async input => {
    const path = `C:\\${input.toString('utf8')}`;
    const refused = refusalOf({do: 'file.remove', with: {path}}, antrea.subject(), []);
    if (refused !== undefined) return;
    expect(path.replaceAll('/', '\\').replaceAll(/\\{2,}/g, '\\')).toMatch(allowedPaths);
    expect(path.split(/[\\/]/)).not.toContain('..');
    expect(path.slice(2)).not.toMatch(/[:*?"<>|]/);
  },
} satisfies Record<string, Target>;

export type TargetName = keyof typeof targets;
