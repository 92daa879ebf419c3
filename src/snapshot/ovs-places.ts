import type {NodeModel} from './node.js';
import {folderOf, normalPath} from './paths.js';

/** What Antrea's scripts use, and what the MSI of Open vSwitch does. */
const usualRunFolders = ['c:\\openvswitch\\var\\run\\openvswitch', 'c:\\programdata\\openvswitch'];
const daemons = ['ovsdb-server', 'ovs-vswitchd', 'ovn-controller'];

/** A path that the helper would look into too: helper/windows/install-paths.ps1. */
const isUsable = (path: string): boolean =>
  /^c:(\\[^\\:*?"<>|]+)+$/.test(path) && !/(^|\\)\.\.?(\\|$)/.test(path) && !/^c:\\windows(\\|$)/.test(path);

/** Where the daemons of Open vSwitch keep pipes and pid files, as the machine's variables and the services say. */
export function ovsRunFolders(node: NodeModel): string[] {
  const variable = node.environment?.find(({name}) => name.toUpperCase() === 'OVS_RUNDIR')?.value ?? '';
  const told = (node.services ?? [])
    .filter(({name}) => daemons.includes(name.toLowerCase()))
    .flatMap(({path = ''}) => [...path.matchAll(/--(?:pidfile=|unixctl=|remote=punix:)(?:"([^"]+)"|([^\s"]+))/g)])
    .map(([, quoted, bare]) => folderOf(quoted ?? bare ?? ''));
  return [...new Set([...usualRunFolders, normalPath(variable), ...told])].filter(isUsable);
}

/** Whether a file is the pid file of a daemon of Open vSwitch on this node. */
export function isOvsPidFile(node: NodeModel, path: string): boolean {
  const its = normalPath(path);
  return daemons.some(name => ovsRunFolders(node).includes(folderOf(its)) && its.endsWith(`\\${name}.pid`));
}
