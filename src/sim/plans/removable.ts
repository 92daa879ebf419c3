import {nodeModelOf} from '../../snapshot/node.js';
import {isOvsPidFile} from '../../snapshot/ovs-places.js';
import type {NodeState} from '../node/state.js';

/** Files that a CNI recreates when it starts, as in helper/windows/cni-paths.ps1. Folders end with a backslash. */
const removablePaths = [
  'c:\\var\\lib\\cni\\',
  'c:\\sourcevip\\',
  'c:\\k\\sourcevip.json',
  'c:\\openvswitch\\var\\run\\openvswitch\\',
  'c:\\openvswitch\\etc\\openvswitch\\conf.db',
  'c:\\k\\azure-vnet.json',
  'c:\\k\\azure-vnet.json.lock',
  'c:\\k\\azure-vnet-ipam.json',
  'c:\\k\\azure-vnet-ipam.json.lock',
  'c:\\k\\azure-vnet-ipamv6.json',
  'c:\\k\\azure-vnet-ipamv6.json.lock',
  'c:\\k\\azurecns\\azure-endpoints.json',
  'c:\\windows\\system32\\azure-vnet.json',
  'c:\\windows\\system32\\azure-vnet.json.lock',
  'c:\\windows\\system32\\azure-vnet-ipam.json',
  'c:\\windows\\system32\\azure-vnet-ipam.json.lock',
];

export function fullPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.slice(3).split(/[\\/]/)) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `C:\\${parts.join('\\')}`;
}

/** Why a plan may not remove a file. Undefined: it may. */
export function refusalOf(state: NodeState, path: string): string | undefined {
  if (/[:*?"<>|]/.test(path.slice(2))) return `${path} is not the path of a file.`;
  const full = fullPath(path).toLowerCase();
  const isAllowed = removablePaths.some(
    allowed => full === allowed || (allowed.endsWith('\\') && full.startsWith(allowed)),
  );
  if (isAllowed || isOvsPidFile(nodeModelOf('', state), full)) return undefined;
  return `${path} is not among the files that a plan may remove.`;
}
