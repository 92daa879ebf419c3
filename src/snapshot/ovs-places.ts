import type {NodeModel} from './node.js';
import {folderOf, normalPath} from './paths.js';

/** The defaults of Antrea's scripts and of the Open vSwitch MSI. */
const usualRunFolders = ['c:\\openvswitch\\var\\run\\openvswitch', 'c:\\programdata\\openvswitch'];
const daemons = ['ovsdb-server', 'ovs-vswitchd', 'ovn-controller'];

/** Same rule as in helper/windows/install-paths.ps1, which limits what the helper reads. */
const isUsable = (path: string): boolean =>
  /^c:(\\[^\\:*?"<>|]+)+$/.test(path) && !/(^|\\)\.\.?(\\|$)/.test(path) && !/^c:\\windows(\\|$)/.test(path);

/**
 * Folders in which the Open vSwitch daemons keep pipes and pid files, from environment variables and service command
 * lines.
 */
export function ovsRunFolders(node: NodeModel): string[] {
  const variable = node.environment?.find(({name}) => name.toUpperCase() === 'OVS_RUNDIR')?.value ?? '';
  const configured = (node.services ?? [])
    .filter(({name}) => daemons.includes(name.toLowerCase()))
    .flatMap(({path = ''}) => [...path.matchAll(/--(?:pidfile=|unixctl=|remote=punix:)(?:"([^"]+)"|([^\s"]+))/g)])
    .map(([, quoted, bare]) => folderOf(quoted ?? bare ?? ''));
  return [...new Set([...usualRunFolders, normalPath(variable), ...configured])].filter(isUsable);
}

/** Whether a file is the pid file of an Open vSwitch daemon on this node. */
export function isOvsPidFile(node: NodeModel, path: string): boolean {
  const its = normalPath(path);
  return daemons.some(name => ovsRunFolders(node).includes(folderOf(its)) && its.endsWith(`\\${name}.pid`));
}
