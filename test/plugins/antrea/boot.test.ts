import {describe, expect, it} from 'vitest';
import {healthy, type Scenario, scenario} from '../../checks/support.js';

const id = 'cni/antrea-boot-hook';

const withoutTask = (antrea: Scenario) => antrea.section('scheduledTasks', tasks => tasks.splice(0));

const withoutCall = (antrea: Scenario) =>
  antrea.section('files', files => {
    const script = files.find(({Path}: {Path: string}) => Path.endsWith('StartKubelet.ps1'));
    script.Content = script.Content.replace(/^.*Prepare-AntreaAgent.*$/m, '');
  });

describe(id, () => {
  it('warns if neither the start script nor a task cleans up after a boot', () => {
    const [finding] = scenario('02-antrea-after-reboot').verdicts(id);
    expect(finding).toMatchObject({outcome: 'fail', severity: 'warning'});
    expect(finding?.remedy).toMatchObject({
      steps: [
        expect.stringContaining('kubectl win helper install --cleanup-on-boot'),
        expect.stringContaining('& C:\\k\\antrea\\Prepare-AntreaAgent.ps1'),
      ],
    });
  });

  it('accepts either of the two', () => {
    expect(withoutTask(healthy('01-antrea-healthy')).outcomes(id)).toEqual(['pass']);
    expect(withoutCall(healthy('01-antrea-healthy')).outcomes(id)).toEqual(['pass']);
  });

  it('accepts the task of cleanup on boot', () => {
    const ours = scenario('02-antrea-after-reboot').section('scheduledTasks', tasks =>
      tasks.push({TaskName: 'kubectl-win-boot', State: 'Ready', LastRunTime: null, LastTaskResult: 0}),
    );
    expect(ours.outcomes(id)).toEqual(['pass']);
  });

  it('does not count a call in a comment, or a disabled task', () => {
    const commented = withoutTask(healthy('01-antrea-healthy')).section('files', files => {
      const script = files.find(({Path}: {Path: string}) => Path.endsWith('StartKubelet.ps1'));
      script.Content = script.Content.replace('& C:', '# & C:');
    });
    expect(commented.outcomes(id)).toEqual(['fail']);
    const disabled = withoutCall(healthy('01-antrea-healthy')).section('scheduledTasks', ([task]) => {
      task.State = 'Disabled';
    });
    expect(disabled.outcomes(id)).toEqual(['fail']);
  });

  it('is undetermined if the kubelet is started in another way, or the tasks were not read', () => {
    const other = withoutTask(healthy('01-antrea-healthy')).node(({sections}) => {
      sections.files = sections.files.filter(({Path}: {Path: string}) => !Path.endsWith('StartKubelet.ps1'));
    });
    expect(other.outcomes(id)).toEqual(['unknown']);
    expect(withoutCall(healthy('01-antrea-healthy')).without('scheduledTasks').outcomes(id)).toEqual(['unknown']);
  });
});
