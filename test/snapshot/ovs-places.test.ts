import {expect, it} from 'vitest';
import {nodeModelOf} from '../../src/snapshot/node.js';
import {isOvsPidFile, ovsRunFolders} from '../../src/snapshot/ovs-places.js';

const node = (variable: string, line: string) =>
  nodeModelOf('win-1', {
    sections: {
      environment: [{Name: 'OVS_RUNDIR', Value: variable}],
      services: [{Name: 'ovs-vswitchd', State: 'Running', PathName: line}],
    },
    errors: {},
  });

it('finds the run folders of OVS in machine variables and command lines of services', () => {
  const told = node('C:\\ovs run\\', 'C:\\x\\ovs-vswitchd.exe --unixctl="D:\\y\\a.ctl" --pidfile="C:\\z\\v.pid"');
  expect(ovsRunFolders(told)).toEqual([
    'c:\\openvswitch\\var\\run\\openvswitch',
    'c:\\programdata\\openvswitch',
    'c:\\ovs run',
    'c:\\z',
  ]);
  expect(isOvsPidFile(told, 'C:\\ovs run\\ovs-vswitchd.pid')).toBe(true);
  expect(isOvsPidFile(told, 'C:\\ovs run\\lsass.pid')).toBe(false);
  expect(isOvsPidFile(told, 'C:\\ovs run\\sub\\ovs-vswitchd.pid')).toBe(false);
});

it('accepts no folder of Windows itself, and no parent path', () => {
  expect(ovsRunFolders(node('C:\\Windows\\System32', '--pidfile=C:\\a\\..\\b\\v.pid'))).toHaveLength(2);
});
