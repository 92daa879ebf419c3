import {wantsColour} from '../../lib/streams.js';
import type {NodeSubject} from '../../model/check.js';
import {readsAnnotation} from '../../model/tunnel-setting.js';
import type {AdapterRow} from '../../view/ink/adapter-picker.js';
import {type Candidate, candidatesOf} from './candidates.js';
import {accept, annotationOf, type Decision, decide} from './decide.js';
import type {Seen} from './seen.js';
import {seen} from './seen.js';
import type {Terminal} from './terminal.js';

export interface PickOptions {
  readonly overwrite: boolean;
  readonly terminal: Terminal;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** Lets a person pick among the adapters that are really there. */
export async function pickAdapter(subject: NodeSubject, options: PickOptions): Promise<Decision> {
  const {overwrite, terminal, env, signal} = options;
  const told = seen(subject);
  if (typeof told === 'string' || !readsAnnotation(subject)) {
    const [decision] = decide([{subject}], {overwrite});
    return decision as Decision;
  }
  const offers = candidatesOf(told).map(candidate => offer(told, candidate, overwrite));
  const {pickAdapterRow} = await import('../../view/ink/adapter-picker.js');
  const picked = await pickAdapterRow({
    title: `Tunnel adapter of ${subject.node.name} (now: ${annotationOf(told.object) ?? 'that of the node address'})`,
    rows: offers.map(({row}) => row),
    colour: wantsColour(terminal.output, env),
    ...terminal,
    signal,
  });
  return offers.find(({row}) => row === picked)?.decision as Decision;
}

interface Offer {
  readonly row: AdapterRow;
  readonly decision: Decision;
}

/** A pick that takes another adapter's place is asked for again, unless `--overwrite` has said so. */
function offer(told: Seen, candidate: Candidate, overwrite: boolean): Offer {
  const decision = accept(told, candidate, {subjects: [], planned: new Map()}, true);
  const {before, reason, action, warnings} = decision;
  const {name, speed, status, usedFor, addresses, unsuitable} = candidate;
  const replaces = before !== undefined && before !== name && !overwrite;
  return {
    decision,
    row: {
      name,
      address: addresses.map(({ip, prefixLength}) => `${ip}/${prefixLength ?? '?'}`).join(', '),
      speed: speed ?? '',
      state: status?.toLowerCase() ?? '',
      usedFor: usedFor.join(', '),
      unsuitable: unsuitable ?? (action === 'refuse' ? reason : undefined),
      warnings,
      question: replaces ? `Put ${name} in the place of ${before}?` : undefined,
    },
  };
}
