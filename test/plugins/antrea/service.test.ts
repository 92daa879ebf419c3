import {describe, expect, it} from 'vitest';
import {healthy, type Raw} from '../../checks/support.js';

const id = 'cni/antrea-service';

const service = (environment: Raw[]) =>
  healthy('01-antrea-healthy').node(({sections}) => {
    sections.services.push({Name: 'antrea-agent', State: 'Running', StartMode: 'Auto', ProcessId: 77});
    sections.environment = environment;
  });

describe('cni/antrea-service', () => {
  it('does not apply to an agent in a pod', () => {
    const pod = healthy('01-antrea-healthy').node(({sections}) => (sections.environment = []));
    expect(pod.outcomes(id)).toEqual(['skipped']);
  });

  it('accepts the node name and the computer name', () => {
    expect(service([{Name: 'NODE_NAME', Value: 'winapp-01'}]).outcomes(id)).toEqual(['pass']);
    expect(service([]).outcomes(id)).toEqual(['pass']);
  });

  it('finds a NODE_NAME that is not the node name', () => {
    const [found] = service([{Name: 'NODE_NAME', Value: 'WINAPP-01'}]).verdicts(id);
    expect(found?.message).toMatch(/The machine variable NODE_NAME is WINAPP-01, but the node name is winapp-01/);
    expect(JSON.stringify(found?.remedy)).toContain("SetEnvironmentVariable('NODE_NAME', 'winapp-01', 'Machine')");
  });

  const conf = (home: string, ...files: Raw[]) =>
    service([
      {Name: 'NODE_NAME', Value: 'winapp-01'},
      {Name: 'Antrea_Home', Value: home},
      {Name: 'KUBECONFIG', Value: 'C:\\k\\config'},
    ]).section('files', rows =>
      rows.push(
        {
          Path: `${home}\\conf\\antrea-agent.conf`,
          Exists: true,
          Content:
            'clientConnection:\n  kubeconfig: C:\\antrea\\antrea-agent.kubeconfig\nantreaClientConnection:\n  kubeconfig: "C:/antrea/antrea-agent.antrea.kubeconfig" # made manually\n',
        },
        ...files,
      ),
    );
  const there = (Path: string, Exists = true) => ({Path, Exists});
  const files = [
    there('C:\\k\\config'),
    there('C:\\antrea\\antrea-agent.kubeconfig'),
    there('C:\\antrea\\antrea-agent.antrea.kubeconfig'),
  ];

  it('passes if the files in its configuration exist, in any home folder', () => {
    expect(conf('C:\\antrea', ...files).outcomes(id)).toEqual(['pass']);
    expect(conf('D:\\apps\\antrea', ...files).outcomes(id)).toEqual(['pass']);
  });

  it('finds a missing kubeconfig that its configuration names', () => {
    const missing = conf(
      'C:\\opt\\antrea',
      ...files.slice(0, 2),
      there('C:\\antrea\\antrea-agent.antrea.kubeconfig', false),
    );
    expect(missing.failures(id)).toEqual([
      'C:/antrea/antrea-agent.antrea.kubeconfig (set by kubeconfig in C:\\opt\\antrea\\conf\\antrea-agent.conf) does not exist: the Antrea agent cannot connect.',
    ]);
    const machine = conf('C:\\antrea', there('C:\\k\\config', false), ...files.slice(1));
    expect(machine.failures(id)).toEqual([
      expect.stringContaining('C:\\k\\config (set by the machine variable KUBECONFIG)'),
    ]);
  });

  it('is undetermined if a named file was not looked up', () => {
    expect(new Set(conf('C:\\antrea').outcomes(id))).toEqual(new Set(['unknown']));
  });

  it('is undetermined without the environment', () => {
    const unread = healthy('01-antrea-healthy').section('services', services =>
      services.push({Name: 'antrea-agent', State: 'Running', StartMode: 'Auto', ProcessId: 77}),
    );
    expect(unread.outcomes(id)).toEqual(['unknown']);
  });
});
