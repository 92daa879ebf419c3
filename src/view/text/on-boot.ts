import {styleText} from 'node:util';
import {plain} from '../../lib/untrusted.js';
import type {BootPlan, BootStatus} from '../../model/boot-plan.js';
import {conditionText} from '../../repair/steps/wait-steps.js';
import {type NodeBootStatus, type OnBootResult, plansOf} from '../../services/boot/boot-tasks.js';
import type {NodeAtBoot} from '../../services/boot/prepare-boot-plans.js';
import type {TextOptions, View} from '../view.js';
import {stepTable} from './step-table.js';
import {table} from './table.js';
import {wrap} from './wrap.js';

export const onBootView: View<OnBootResult> = {
  text: (result, options) => {
    switch (result.kind) {
      case 'planned':
        return renderForBoots(result.nodes, options);
      case 'declined':
        return 'Nothing was changed.\n';
      case 'stored':
        return storedText(result);
    }
  },
  document: result => ({
    apiVersion: 'kubectl-win/v1',
    kind: 'List',
    items: result.kind === 'declined' ? [] : plansOf(result.nodes),
  }),
};

function storedText({namespace, nodes, stored, failed}: Extract<OnBootResult, {kind: 'stored'}>): string {
  const done = `The helper is installed in namespace ${namespace}, for all Windows nodes. `;
  const told = `${stored} of ${nodes.length} nodes have a boot task.\n`;
  return done + told + failed.map(({node, error = ''}) => `${node}: ${plain(error)}\n`).join('');
}

/** The boot plans, each once for all nodes that share it; then the nodes without a boot plan, with the reason. */
export function renderForBoots(nodes: readonly NodeAtBoot[], options: TextOptions): string {
  const plans = plansOf(nodes);
  const alike = Object.values(
    Object.groupBy(plans, ({unless, settleSeconds, steps}) => JSON.stringify([unless, settleSeconds, steps])),
  );
  const rest = nodes.flatMap(one => ('plan' in one ? [] : [[one.node, 'unread' in one ? one.unread : one.nothing]]));
  return [
    ...alike.map(group => renderAlike(group ?? [], options)),
    ...(rest.length > 0 ? [table(['NODE', 'WHY NOTHING RUNS AT BOOT'], rest)] : []),
  ].join('\n');
}

function renderAlike(plans: readonly BootPlan[], {colour, width}: TextOptions): string {
  const [first] = plans;
  if (!first) return '';
  const {unless, settleSeconds, steps, deadMan} = first;
  const paint = (style: Parameters<typeof styleText>[0]) => (text: string) =>
    colour ? styleText(style, text, {validateStream: false}) : text;
  const line = (text: string) => wrap(plain(text), {indent: 0, hang: 2, width});
  const servers = [...new Set(plans.map(plan => plan.deadMan.apiServer))].join(', ');
  return [
    ...line(`At every boot of ${plans.map(({node}) => node).join(', ')}`).map(paint('bold')),
    ...line(`Only if this is not true within ${settleSeconds} s: ${unless.map(conditionText).join(', and ')}.`),
    '',
    ...stepTable({before: [], steps, after: []}, {width, verbose: false, red: paint('red'), dim: paint('dim')}),
    ...(steps.some(({cuts}) => cuts)
      ? [
          '',
          ...line(
            `! Within ${deadMan.withinSeconds} s after the agent has started, the node must have its address and reach the API server (${servers}). Otherwise it undoes the steps.`,
          ),
        ]
      : []),
  ]
    .map(text => `${text}\n`)
    .join('');
}

export function bootStatusTable(nodes: readonly NodeBootStatus[]): string {
  const rows = nodes.map(({node, status, error}) => [node, stateOf(status, error), lastOf(status)]);
  return table(['NODE', 'CLEANUP ON BOOT', 'LAST BOOT'], rows);
}

function stateOf(status: BootStatus | undefined, error: string | undefined): string {
  if (!status) return error ?? 'unknown';
  return status.set ? `set, ${status.steps} steps` : 'not set';
}

const outcomes: Record<NonNullable<BootStatus['last']>['outcome'], string> = {
  notNeeded: 'recovered without repair',
  ran: 'ran its steps',
  blocked: 'did not run',
};

function lastOf(status: BootStatus | undefined): string {
  const {last} = status ?? {};
  if (!last) return status?.set ? 'none since it was installed' : '';
  return [`${last.at}: ${outcomes[last.outcome]}`, last.plan && `plan ${last.plan}`, last.message]
    .filter(Boolean)
    .join(', ');
}
