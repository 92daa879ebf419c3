import {describe, expect, it} from 'vitest';
import {healthy, type Scenario, scenario} from '../support.js';

// biome-ignore lint/suspicious/noExplicitAny: raw files and endpoints
type Raw = any;
const id = 'cni/outbound-nat-exceptions';
const isConf = ({Path}: Raw) => /net\.d\\.*\.conf$/.test(Path);

/** Case 13 with its exceptions completed. */
function repaired(exceptions = ['10.191.0.0/16', '10.190.0.0/16', '10.11.200.0/24']): Scenario {
  return scenario('13-win-bridge-outbound-nat').node(node => {
    const file = node.sections.files.find(isConf);
    const conf = JSON.parse(file.Content);
    conf.policies[0].Value.ExceptionList = exceptions;
    file.Content = JSON.stringify(conf);
    for (const endpoint of node.sections.hnsEndpoints)
      for (const policy of endpoint.Policies) if (policy.Type === 'OutBoundNAT') policy.ExceptionList = exceptions;
  });
}

const changeConf = (changed: Scenario, change: (conf: Raw) => void, node?: string) =>
  changed.section(
    'files',
    files => {
      const file = files.find(isConf);
      const conf = JSON.parse(file.Content);
      change(conf);
      file.Content = JSON.stringify(conf);
    },
    node,
  );

describe('cni/outbound-nat-exceptions', () => {
  it('accepts pods, Services and nodes on a bridge', () => {
    expect(repaired().outcomes(id)).toEqual(['pass']);
  });

  it.each([
    ['pods', ['10.191.0.0/16', '10.11.200.0/24']],
    ['Services', ['10.190.0.0/16', '10.11.200.0/24']],
    ['nodes', ['10.191.0.0/16', '10.190.0.0/16']],
  ])('finds that the %s are missing', (what, exceptions) => {
    expect(repaired(exceptions).failures(id)[0]).toContain(`to ${what} (`);
  });

  it('accepts a wider range', () => {
    expect(repaired(['10.0.0.0/8']).outcomes(id)).toEqual(['pass']);
  });

  it('finds pods that were created before the configuration was repaired', () => {
    const changed = repaired().section('hnsEndpoints', endpoints => {
      const pod = endpoints.find(({SharedContainers}: Raw) => SharedContainers?.length > 0);
      pod.Policies.find(({Type}: Raw) => Type === 'OutBoundNAT').ExceptionList = ['10.191.0.0/16'];
    });
    const [finding] = changed.verdicts(id);
    expect(finding?.outcome).toBe('fail');
    expect(finding?.evidence.map(({section}) => section)).toEqual(['hnsEndpoints']);
  });

  it('finds that Services have no route with NeedEncap', () => {
    const changed = changeConf(repaired(), conf => {
      conf.policies = conf.policies.filter(({Value}: Raw) => Value.DestinationPrefix !== '10.191.0.0/16');
    });
    expect(changed.failures(id)[0]).toMatch(/no route with NeedEncap for Services/);
  });

  it('requires a route to the node itself only for wincni', () => {
    const withType = (type: string) =>
      changeConf(repaired(), conf => {
        conf.type = type;
        conf.policies = conf.policies.filter(({Value}: Raw) => Value.DestinationPrefix !== '10.11.200.63/32');
      });
    expect(withType('win-bridge').outcomes(id)).toEqual(['pass']);
    expect(withType('wincni.exe').failures(id)[0]).toMatch(/the node itself/);
  });

  it('requires no exceptions if nothing is translated', () => {
    const changed = changeConf(repaired(), conf => {
      conf.policies.shift();
    }).section('hnsEndpoints', endpoints => {
      for (const endpoint of endpoints)
        endpoint.Policies = endpoint.Policies.filter(({Type}: Raw) => Type !== 'OutBoundNAT');
    });
    expect(changed.outcomes(id)).toEqual(['pass']);
  });

  it('does not require the nodes in an overlay, and knows what Flannel adds itself', () => {
    const changed = changeConf(healthy('06-flannel-overlay-healthy'), conf => {
      conf.delegate.policies[0].Value.Settings.Exceptions = ['10.96.0.0/12'];
    });
    const onFirst = () => changed.verdicts(id).find(({node}) => node === 'fl-win-a')?.outcome;
    expect(onFirst()).toBe('fail');
    changed.section('files', files => {
      const file = files.find(({Path}: Raw) => /subnet\.env$/.test(Path));
      file.Content = file.Content.replace('FLANNEL_IPMASQ=false', 'FLANNEL_IPMASQ=true');
    });
    expect(onFirst()).toBe('pass');
  });

  it('derives ranges from nodes and Services if the cluster does not publish them', () => {
    const hidden = (changed: Scenario) =>
      changed.removeObjects(({kind, metadata}) => kind === 'ConfigMap' && metadata.name === 'kubeadm-config');
    expect(hidden(repaired()).outcomes(id)).toEqual(['pass']);
    expect(hidden(scenario('13-win-bridge-outbound-nat')).failures(id)[0]).toMatch(/10\.190\.0\.0\/24/);
  });

  it('says what is missing where, and which ranges to add', () => {
    const [finding] = repaired(['10.191.0.0/16']).verdicts(id);
    expect(finding?.message).toMatch(
      /^The policies of pods on this node are incomplete: pod traffic to .*pods \(10\.190\.0\.0\/16\).*nodes \(10\.11\.200\.0\/24\).* has the node address as its source\.$/,
    );
    expect(finding?.evidence[0]).toMatchObject({
      section: 'files',
      field: 'OutBoundNAT ExceptionList',
      seen: ['10.191.0.0/16'],
      expected: ['10.190.0.0/16 (pods)', '10.11.200.0/24 (nodes)'],
    });
    expect(finding?.remedy).toMatchObject({
      steps: [
        expect.stringMatching(/^Add 10\.190\.0\.0\/16.* 10\.11\.200\.0\/24 to the policies in 'C:\\etc/),
        expect.anything(),
      ],
    });
  });

  it('shows the routes that are there where one is missing', () => {
    const changed = changeConf(repaired(), conf => {
      for (const {Value} of conf.policies)
        if (Value.DestinationPrefix === '10.191.0.0/16') Value.DestinationPrefix = '10.192.0.0/16';
    });
    const [finding] = changed.verdicts(id);
    expect(finding?.message).not.toMatch(/node address as its source/);
    expect(finding?.evidence).toMatchObject([
      {field: 'ROUTE with NeedEncap', seen: expect.arrayContaining(['10.192.0.0/16'])},
    ]);
  });

  it('does not count a route without NeedEncap', () => {
    const changed = changeConf(repaired(), conf => {
      for (const {Value} of conf.policies) if (Value.DestinationPrefix) Value.NeedEncap = false;
    });
    expect(changed.failures(id)).toHaveLength(1);
  });

  it('takes an exception without a length for one address', () => {
    const single = repaired(['10.190.0.0/16', '10.191.0.0/16', '10.11.200.0']);
    expect(single.failures(id)[0]).toContain('nodes (10.11.200.0/24)');
  });

  it('asks for the address of each Service where the range is not known', () => {
    const hidden = changeConf(repaired(['10.190.0.0/16', '10.11.200.0/24']), () => undefined).removeObjects(
      ({kind, metadata}) => kind === 'ConfigMap' && metadata.name === 'kubeadm-config',
    );
    expect(hidden.failures(id)[0]).toMatch(/Services \(10\.191\.[\d.]+\/32\)/);
    hidden.object('Service', /./, ({spec}) => {
      spec.clusterIP = 'None';
    });
    expect(hidden.failures(id)).toEqual([]);
  });

  const endpoint = (change: object) =>
    repaired()
      .section('hnsEndpoints', endpoints => {
        const pod = endpoints.find(({SharedContainers}: Raw) => SharedContainers?.length > 0);
        pod.Policies.find(({Type}: Raw) => Type === 'OutBoundNAT').ExceptionList = ['10.191.0.0/16'];
        Object.assign(pod, change);
      })
      .outcomes(id)[0];

  it.each([
    ['of another node', {IsRemoteEndpoint: true}],
    ['of another network', {VirtualNetwork: 'FFFFFFFF-0000-0000-0000-000000000000'}],
    ['of no container', {SharedContainers: []}],
    ['with an address of the host', {IPAddress: '10.11.200.63'}],
  ])('does not go by an endpoint %s', (_, change) => {
    expect(endpoint({})).toBe('fail');
    expect(endpoint(change)).toBe('pass');
  });

  it('goes by the endpoints alone where the configuration was not read, and is undetermined without either', () => {
    const blank = repaired().section('files', files => files.splice(0));
    expect(blank.outcomes(id)).toEqual(['pass']);
    expect(blank.without('hnsEndpoints').outcomes(id)).toEqual(['unknown']);
  });
});
