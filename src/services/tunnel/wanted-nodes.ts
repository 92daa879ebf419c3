import {type OpenProgress, withProgress} from '../../session/progress.js';
import type {Request} from './annotation-request.js';
import type {AdapterRule} from './choose-adapter.js';
import type {Wanted} from './decide-annotation.js';
import {readNodeList} from './node-list.js';
import {type AdapterReading, readAdapters} from './read-adapters.js';

export type WantedOptions = Omit<AdapterReading, 'names' | 'selector'>;

/** Inspects the nodes of a request, and returns them with the rule that selects their adapter. */
export async function wantedNodes(
  request: Request,
  options: WantedOptions,
  open: OpenProgress,
  signal: AbortSignal,
): Promise<Wanted[]> {
  const rules = await rulesOf(request);
  // Removing an annotation requires no adapter data, and must work on nodes that cannot run a helper.
  const helper = request.what !== 'remove';
  const selection = {names: rules.names, selector: request.selector};
  const {subjects, failures} = await withProgress(open, progress =>
    readAdapters({...options, ...selection, helper}, progress, signal),
  );
  return subjects.map(subject => {
    const {name} = subject.node;
    return {subject, rule: rules.of(name), failure: failures.get(name)};
  });
}

interface Rules {
  readonly names: readonly string[];
  of(node: string): AdapterRule | undefined;
}

async function rulesOf(request: Request): Promise<Rules> {
  const {names} = request;
  if (request.what === 'set') return {names, of: () => request.rule};
  if (request.what !== 'list') return {names, of: () => undefined};
  const entries = new Map((await readNodeList(request.file)).map(({node, adapter}) => [node, adapter]));
  return {names: [...entries.keys()], of: node => ({by: 'name', adapter: entries.get(node) ?? ''})};
}
