import {type AccessNeed, rightOf} from '../../session/rights.js';
import type {OtherPlugin} from './plugin-settings.js';

/** The rights that the changes of other plugins' settings take, so far as they are made at all. */
export function changeNeeds(others: readonly OtherPlugin[]): AccessNeed[] {
  return others.flatMap(({translation: {change}, unsafe}) =>
    change && unsafe === undefined && change.before !== change.after ? [needOf(change.path)] : [],
  );
}

/** The right to patch the object at a path of the API. */
function needOf(path: string): AccessNeed {
  const [, group = '', namespace, resource = '', name = ''] =
    /^\/api(?:s\/([^/]+))?\/[^/]+(?:\/namespaces\/([^/]+))?\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  return rightOf(`patch ${group ? `${resource}.${group}` : resource}`, {namespace, name});
}
