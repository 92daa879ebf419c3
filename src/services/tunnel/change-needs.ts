import {type AccessNeed, rightOf} from '../../session/rights.js';
import type {OtherPlugin} from './plugin-settings.js';

/** The access required to change the settings of other plugins, for those that are changed. */
export function changeNeeds(others: readonly OtherPlugin[]): AccessNeed[] {
  return others.flatMap(({translation: {change}, unsafe}) =>
    change && unsafe === undefined && change.before !== change.after ? [needOf(change.path)] : [],
  );
}

/** The access required to patch the object at an API path. */
function needOf(path: string): AccessNeed {
  const [, group = '', namespace, resource = '', name = ''] =
    /^\/api(?:s\/([^/]+))?\/[^/]+(?:\/namespaces\/([^/]+))?\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  return rightOf(`patch ${group ? `${resource}.${group}` : resource}`, {namespace, name});
}
