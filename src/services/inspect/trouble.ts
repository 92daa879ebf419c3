import {problems} from '../../diagnose/failures.js';
import type {Result} from '../../model/result.js';
import {same} from '../../snapshot/hns.js';
import type {Trouble} from './part.js';

/** Returns the findings that name an object, given the section of the snapshot and the names of the object. */
export type TroubleFinder = (section: string, ...names: readonly (string | undefined)[]) => Trouble | undefined;

/** Finds affected objects through the evidence of findings. */
export function troubleFinder(results: readonly Result[]): TroubleFinder {
  const named = problems(results).flatMap(result =>
    result.evidence.map(({section, object}) => ({result, section, names: namesIn(object)})),
  );
  return (section, ...names) => {
    const known = names.filter(name => name !== undefined && name !== '');
    const found = named
      .filter(one => one.section === section && one.names.some(its => known.some(name => same(its, name as string))))
      .map(({result}) => result);
    if (found.length === 0) return undefined;
    return {
      severity: found.some(({severity}) => severity === 'error') ? 'error' : 'warning',
      findings: [...new Set(found.map(({id}) => id))],
    };
  };
}

/** Evidence names objects in several forms: "Bridge br-int", "win-1: flannel.4096", "br-int, br-provider", "kube-system/kube-dns:53/udp (<id>)". */
function namesIn(object: string): string[] {
  const bare = object.replace(/^(Bridge|Interface|Port|Pod|endpoint) /i, '');
  const [, inBrackets = ''] = /\(([^)]*)\)$/.exec(bare) ?? [];
  return [object, bare, inBrackets, bare.replace(/^[^:]+: /, ''), bare.replace(/ \([^)]*\)$/, ''), ...bare.split(', ')];
}

export function withTrouble(trouble: Trouble | undefined): {trouble?: Trouble} {
  return trouble ? {trouble} : {};
}
