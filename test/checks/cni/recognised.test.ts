import {describe, expect, it} from 'vitest';
import {caseNames, expectation, healthy, type Raw, scenario} from '../support.js';

const flannel = '06-flannel-overlay-healthy';
const healthyCases = caseNames.filter(name => expectation(name).mustFail.length === 0);

const daemonSet = (name: string) => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: {name, namespace: 'kube-system'},
  spec: {template: {spec: {containers: [{name, image: `${name}:1`}], nodeSelector: {'kubernetes.io/os': 'linux'}}}},
});

/** A node without traces of a known plugin, in a cluster without any. */
const unknownPlugin = () =>
  healthy(flannel)
    .removeObjects(({kind, metadata}) => kind !== 'Node' && /flannel/.test(`${metadata.name} ${metadata.namespace}`))
    .removeObjects(({kind}) => kind === 'ConfigMap')
    .object('Node', /./, ({metadata}) => (metadata.annotations = {}))
    .section('hnsNetworks', networks => {
      for (const network of networks) network.Name = 'cilium-net';
    })
    .section('processes', processes => processes.splice(0))
    .section('services', services => {
      services.splice(0, services.length, ...services.filter(({Name}: Raw) => Name === 'hns'));
    })
    .section('files', files => {
      files.splice(0, files.length, {
        Path: 'C:\\etc\\cni\\net.d\\05-cilium.conflist',
        Exists: true,
        Content: '{"name":"cilium","plugins":[{"type":"cilium-cni"}]}',
      });
    });

describe('cni/recognised', () => {
  it('never passes an unknown plugin', () => {
    const found = unknownPlugin();
    expect([...found.run().detections.values()][0]?.name).toBe('unknown');
    expect(found.failures('cni/recognised')[0]).toMatch(
      /was not recognised. Found: CNI configuration .*05-cilium\.conflist of type cilium-cni/,
    );
  });

  it('reports what was found instead, or that nothing was', () => {
    const bare = (name: string | undefined) =>
      unknownPlugin()
        .section('files', files => files.splice(0))
        .section('hnsNetworks', networks => {
          const [first] = networks;
          networks.splice(0, networks.length, {...first, Name: 'nat', Type: 'NAT'});
          if (name !== undefined) networks.push({...first, Name: name});
        })
        .verdicts('cni/recognised')
        .find(({node}) => node === 'fl-win-a');
    expect(bare('cilium-net')).toMatchObject({
      message: 'The network plugin of fl-win-a was not recognised. Found: HNS network cilium-net.',
      evidence: [{seen: ['HNS network cilium-net']}],
    });
    expect(bare(undefined)).toMatchObject({
      message: 'fl-win-a has no network plugin: neither a CNI configuration nor an HNS network of a plugin was found.',
      evidence: [{seen: null}],
    });
  });

  it.each(['External', 'ext', 'NAT', 'Default Switch'])(
    "does not count the network %s as a plugin's, but one that only contains its name",
    name => {
      const seen = (Name: string) =>
        unknownPlugin()
          .section('files', files => files.splice(0))
          .section('hnsNetworks', networks => networks.splice(0, networks.length, {...networks[0], Name}))
          .verdicts('cni/recognised')
          .find(({node}) => node === 'fl-win-a')?.evidence[0]?.seen;
      expect(seen(name)).toBeNull();
      expect(seen(`my-${name}`)).toEqual([`HNS network my-${name}`]);
      expect(seen(`${name}-2`)).toEqual([`HNS network ${name}-2`]);
    },
  );

  it('is undetermined if CNI configurations were not read', () => {
    expect(unknownPlugin().without('files').outcomes('cni/recognised')).not.toContain('pass');
  });

  it('says that it guesses, where two plugins have left as many traces', () => {
    const guessed = (...names: string[]) =>
      unknownPlugin()
        .section('files', files => files.splice(0))
        .section('services', services => {
          for (const Name of names) services.push({Name, State: 'Running', StartMode: 'Auto'});
        })
        .verdicts('cni/recognised')
        .find(({node}) => node === 'fl-win-a');
    expect(guessed('flanneld', 'hybrid-overlay-node')).toMatchObject({
      outcome: 'info',
      message: expect.stringMatching(/^The network plugin is probably .*: .*service (flanneld|hybrid-overlay-node)/),
    });
    expect(guessed('flanneld')?.outcome).toBe('pass');
  });

  it.each(caseNames)('recognises %s', name => {
    expect(scenario(name).failures('cni/recognised')).toEqual([]);
  });
});

describe('cni/same-as-linux', () => {
  const id = 'cni/same-as-linux';

  it.each(healthyCases)('passes %s', name => {
    expect(healthy(name).failures(id)).toEqual([]);
  });

  const linuxRuns = (name: string) =>
    healthy(flannel)
      .removeObjects(({kind, metadata}) => kind === 'DaemonSet' && /^kube-flannel-ds(?!-windows)/.test(metadata.name))
      .removeObjects(({kind, metadata}) => kind === 'ConfigMap' && /flannel/.test(metadata.name))
      .removeObjects(({kind, metadata}) => kind === 'Namespace' && /flannel/.test(metadata.name))
      .object('Node', /./, ({metadata}) => {
        if (metadata.labels['kubernetes.io/os'] === 'linux') metadata.annotations = {};
      })
      .addObject(daemonSet(name));

  it('finds Weave Net on the Linux nodes, and says that it does not support Windows', () => {
    expect(linuxRuns('weave-net').failures(id)).toEqual([
      expect.stringMatching(/run Flannel, but the Linux nodes run .*Weave Net; Weave Net does not support Windows/),
    ]);
    expect(linuxRuns('weave-net').verdicts(id)[0]?.remedy).toMatchObject({steps: ['Move the Linux nodes to Flannel.']});
  });

  it('accepts Canal, which is Flannel with policies', () => {
    expect(linuxRuns('canal').failures(id)).toEqual([]);
  });

  it('does not apply to plugins without a component on Linux nodes', () => {
    expect(scenario('13-win-bridge-outbound-nat').outcomes(id)).toEqual(['skipped']);
  });

  it('says how to install the plugin of the Linux nodes on Windows, if possible', () => {
    const antrea = linuxRuns('antrea-agent').addObject({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: {name: 'antrea-controller', namespace: 'kube-system'},
      spec: {template: {spec: {containers: [{name: 'antrea-controller', image: 'antrea/antrea-controller:v2.2.0'}]}}},
    });
    antrea.removeObjects(({kind, metadata}) => kind === 'DaemonSet' && /flannel/.test(metadata.name));
    const [found] = antrea.verdicts(id);
    expect(found).toMatchObject({
      outcome: 'fail',
      evidence: [{object: 'network plugin of the Linux nodes', seen: 'Antrea', expected: 'Flannel'}],
      remedy: {
        steps: [
          'Install Antrea on the Windows nodes: kubectl win preflight antrea',
          'Or move the Linux nodes to Flannel.',
        ],
      },
    });
    expect(found?.message).toMatch(
      /^fl-win-a.*fl-win-b run Flannel, but the Linux nodes run Antrea: pods on Windows and Linux nodes cannot/,
    );
  });

  it('ignores a policy engine beside the same plugin', () => {
    expect(healthy(flannel).addObject(daemonSet('cilium')).failures(id)).toEqual([]);
  });

  it('is undetermined if the cluster has no plugin objects', () => {
    const none = linuxRuns('other').removeObjects(
      ({kind, metadata}) => kind === 'DaemonSet' && /flannel/.test(metadata.name),
    );
    expect(none.outcomes(id)).toEqual(['unknown']);
  });
});
