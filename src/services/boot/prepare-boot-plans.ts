import {subjectOf} from '../../diagnose/engine.js';
import {userName} from '../../lib/user-name.js';
import type {BootPlan} from '../../model/boot-plan.js';
import {planForBoots} from '../../repair/boot/at-boot.js';
import type {Inspected} from '../../session/inspection.js';
import {readSnapshot} from '../../snapshot/snapshot.js';

/** A node's boot plan; or why it needs none; or why it could not be read. */
export type NodeAtBoot =
  | {readonly node: string; readonly plan: BootPlan}
  | {readonly node: string; readonly nothing: string}
  | {readonly node: string; readonly unread: string};

export function prepareForBoots({document, names, failures}: Inspected): NodeAtBoot[] {
  const snapshot = readSnapshot(document);
  return names.map((node): NodeAtBoot => {
    const unread = failures.get(node);
    if (unread !== undefined) return {node, unread};
    const outcome = planForBoots(subjectOf(snapshot, node, Date.now()), {now: new Date(), by: userName()});
    if (outcome.kind === 'plan') return {node, plan: outcome.plan};
    return outcome.kind === 'unread' ? {node, unread: outcome.why} : {node, nothing: outcome.why};
  });
}
