import {describe, expect, it} from 'vitest';
import {healthy, type Raw} from '../../checks/support.js';

const id = 'cni/antrea-service';

const service = (environment: Raw[]) =>
  healthy('01-antrea-healthy').node(({sections}) => {
    sections.services.push({Name: 'antrea-agent', State: 'Running', StartMode: 'Auto', ProcessId: 77});
    sections.environment = environment;
  });

describe('cni/antrea-service', () => {
  it('does not concern an agent in a pod', () => {
    const pod = healthy('01-antrea-healthy').node(({sections}) => (sections.environment = []));
    expect(pod.outcomes(id)).toEqual(['skipped']);
  });

  it('passes the name of the node, and that of the machine', () => {
    expect(service([{Name: 'NODE_NAME', Value: 'winapp-01'}]).outcomes(id)).toEqual(['pass']);
    expect(service([]).outcomes(id)).toEqual(['pass']);
  });

  it('finds a NODE_NAME that is not the name of the node', () => {
    const [found] = service([{Name: 'NODE_NAME', Value: 'WINAPP-01'}]).verdicts(id);
    expect(found?.message).toMatch(/NODE_NAME of the machine is WINAPP-01, but the node is called winapp-01/);
    expect(JSON.stringify(found?.remedy)).toContain("SetEnvironmentVariable('NODE_NAME', 'winapp-01', 'Machine')");
  });

  it('cannot tell without the environment', () => {
    const unread = healthy('01-antrea-healthy').section('services', services =>
      services.push({Name: 'antrea-agent', State: 'Running', StartMode: 'Auto', ProcessId: 77}),
    );
    expect(unread.outcomes(id)).toEqual(['unknown']);
  });
});
