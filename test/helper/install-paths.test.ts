import {afterAll, expect, it} from 'vitest';
import type {WindowsMachine} from '../../src/sim/windows/machine.js';
import {ask, collect, describeHelper, dumpOf, machineFor, nodeOf} from './powershell.js';
import {type Row, rows} from './state.js';

const machines: WindowsMachine[] = [];
afterAll(async () => {
  for (const machine of machines) await machine.dispose();
});

const msi = 'C:\\Program Files\\Open vSwitch';

/** A node with OVS from an MSI, Antrea as a service, and a kubelet outside C:\k. */
function installedElsewhere() {
  const node = nodeOf('01-antrea-healthy');
  const service = (Name: string, PathName: string) => ({
    Name,
    PathName,
    State: 'Running',
    StartMode: 'Auto',
    ProcessId: 4242,
  });
  node.sections.services = [
    ...rows(node, 'services').filter(({Name}) => !/^(ovs|kubelet|antrea)/.test(String(Name))),
    service(
      'ovsdb-server',
      `"${msi}\\bin\\ovsdb-server.exe" --log-file="${msi}\\logs\\ovsdb-server.log" --pidfile --service --remote=punix:"C:\\ProgramData\\openvswitch\\db.sock" "${msi}\\conf\\conf.db"`,
    ),
    service('antrea-agent', 'C:\\opt\\antrea\\antrea-service.exe'),
    service('flanneld', 'C:\\kube\\flanneld.exe --kubeconfig-file=C:\\kube\\config'),
  ];
  node.sections.environment = [
    {Name: 'OVS_RUNDIR', Value: 'C:\\ProgramData\\openvswitch\\'},
    {Name: 'Antrea_Home', Value: 'C:\\opt\\antrea'},
    {Name: 'Antrea_LogDir', Value: 'C:\\Windows\\System32\\config'},
    {Name: 'NODE_NAME', Value: 'winapp-01'},
    {Name: 'KUBECONFIG', Value: 'C:\\k\\gone.conf'},
    {Name: 'AWS_SECRET_ACCESS_KEY', Value: 's3cret'},
  ];
  const file = (Path: string, Content: string): Row => ({Path, Exists: true, Content});
  node.sections.files = [
    ...rows(node, 'files'),
    file(`${msi}\\conf\\conf.db`, 'OVSDB CLUSTER'),
    file('C:\\ProgramData\\openvswitch\\ovs-vswitchd.pid', '4711\r\n'),
    file('C:\\ProgramData\\openvswitch\\private.pid', '4711\r\n'),
    file('C:\\opt\\antrea\\conf\\antrea-agent.conf', 'kubeconfig: C:\\antrea\\antrea-agent.kubeconfig\n'),
    file('C:\\antrea\\antrea-agent.kubeconfig', 'users: [{name: agent, user: {token: t0ken}}]\n'),
    file('C:\\kube\\cni\\config\\cni.conf', '{"name":"vxlan0"}'),
    file('C:\\Windows\\System32\\config\\antrea-agent.log', 'not for us'),
  ];
  const log = (Path: string): Row => ({Path, Tail: 'line'});
  node.sections.logs = [
    ...rows(node, 'logs'),
    log(`${msi}\\logs\\ovsdb-server.log`),
    log(`${msi}\\logs\\secrets.log`),
    log('C:\\opt\\antrea\\logs\\antrea-agent.exe.HOST.log.INFO.20260301-101500.42'),
    log('C:\\kube\\logs\\flanneld\\flanneld.exe.HOST.USER.log.INFO.20260301-101500.42'),
    log('C:\\k\\logs\\kubelet\\kubelet.exe.HOST.USER.log.INFO.20260301-101500.42'),
  ];
  return node;
}

describeHelper('software installed elsewhere', () => {
  it('is found through services and machine variables, by fixed names only', async () => {
    const machine = machineFor(installedElsewhere());
    machines.push(machine);
    const answer = await ask(machine, collect(['files', 'logs', 'environment']));
    const dump = dumpOf(answer);
    expect(dump.errors).toEqual({});
    const paths = (section: string) =>
      rows(dump, section)
        .filter(({Exists}) => Exists !== false)
        .map(({Path}) => Path);
    expect(paths('files')).toEqual(
      expect.arrayContaining([
        `${msi}\\conf\\conf.db`,
        'C:\\ProgramData\\openvswitch\\ovs-vswitchd.pid',
        'C:\\opt\\antrea\\conf\\antrea-agent.conf',
        'C:\\kube\\cni\\config\\cni.conf',
      ]),
    );
    expect(paths('files')).not.toContain('C:\\ProgramData\\openvswitch\\private.pid');
    expect(paths('logs')).toEqual(
      expect.arrayContaining([
        `${msi}\\logs\\ovsdb-server.log`,
        'C:\\opt\\antrea\\logs\\antrea-agent.exe.HOST.log.INFO.20260301-101500.42',
        'C:\\kube\\logs\\flanneld\\flanneld.exe.HOST.USER.log.INFO.20260301-101500.42',
        'C:\\k\\logs\\kubelet\\kubelet.exe.HOST.USER.log.INFO.20260301-101500.42',
      ]),
    );
    expect(paths('logs')).not.toContain(`${msi}\\logs\\secrets.log`);
    // Only the existence of a file that a configuration names is reported, not its content.
    expect(rows(dump, 'files')).toContainEqual({Path: 'C:\\antrea\\antrea-agent.kubeconfig', Exists: true});
    expect(rows(dump, 'files')).toContainEqual(expect.objectContaining({Path: 'C:\\k\\gone.conf', Exists: false}));
    expect(answer.text).not.toContain('t0ken');
    // Nothing of Windows itself, regardless of variables.
    expect(answer.text).not.toContain('not for us');
    expect(dump.sections.environment).toEqual([
      {Name: 'Antrea_Home', Value: 'C:\\opt\\antrea'},
      {Name: 'Antrea_LogDir', Value: 'C:\\Windows\\System32\\config'},
      {Name: 'OVS_RUNDIR', Value: 'C:\\ProgramData\\openvswitch\\'},
      {Name: 'NODE_NAME', Value: 'winapp-01'},
      {Name: 'KUBECONFIG', Value: 'C:\\k\\gone.conf'},
    ]);
  });
});
