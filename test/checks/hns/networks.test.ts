import {describe, expect, it} from 'vitest';
import {healthy, type Raw, scenario} from '../support.js';

const antrea = '01-antrea-healthy';
const flannel = '06-flannel-overlay-healthy';
const calico = '09-calico-vxlan-healthy';

const network = (name: string, change: object) => (networks: Raw[]) => {
  Object.assign(
    networks.find(({Name}) => Name === name),
    change,
  );
};

const without = (name: string) => (networks: Raw[]) => {
  networks.splice(0, networks.length, ...networks.filter(({Name}) => Name !== name));
};

describe('hns/network-present', () => {
  const id = 'hns/network-present';

  it('reports that the network is missing, and which ones exist', () => {
    const lost = healthy(flannel).section('hnsNetworks', without('flannel.4096'), 'fl-win-a');
    const [found] = lost.verdicts(id).filter(({outcome}) => outcome === 'fail');
    expect(found).toMatchObject({
      node: 'fl-win-a',
      message: 'HNS network flannel.4096 does not exist, so pods on this node have no network.',
      evidence: [
        {object: 'flannel.4096', seen: null, expected: 'Type Overlay'},
        {object: 'all HNS networks', seen: ['External (Overlay)', 'nat (nat)']},
      ],
    });
  });

  it('does not mistake the base network for the one above it, whose name it contains', () => {
    expect(scenario('12-hybrid-overlay-network-missing').failures(id)).toHaveLength(1);
  });

  it('accepts the overlay name of old scripts', () => {
    const old = healthy(flannel).section('hnsNetworks', network('flannel.4096', {Name: 'vxlan0'}), 'fl-win-a');
    expect(old.failures(id)).toEqual([]);
  });

  it('only informs while the node settles after a boot', () => {
    const booted = scenario('02-antrea-after-reboot').section('os', os => {
      os.LastBootUpTime = '2026-03-06T07:28:00+00:00';
    });
    expect(booted.outcomes(id)).toEqual(['info']);
  });
});

describe('hns/network-type', () => {
  const id = 'hns/network-type';

  it('reports that the network is of another type', () => {
    const wrong = healthy(flannel).section('hnsNetworks', network('flannel.4096', {Type: 'L2Bridge'}), 'fl-win-a');
    expect(wrong.failures(id)).toEqual(['HNS network flannel.4096 has type L2Bridge, but Flannel requires Overlay.']);
  });

  it('ignores the spelling of the type', () => {
    const spelled = healthy(flannel).section('hnsNetworks', network('flannel.4096', {Type: 'overlay'}), 'fl-win-a');
    expect(spelled.failures(id)).toEqual([]);
    expect(healthy('04-kube-ovn-healthy').outcomes(id)).toEqual(['pass']);
  });

  it('leaves a missing network to its own check', () => {
    expect(scenario('02-antrea-after-reboot').outcomes(id)).toEqual(['skipped']);
  });
});

describe('hns/subnet', () => {
  const id = 'hns/subnet';

  it.each([
    [antrea, 'winapp-01', 'antrea-hnsnetwork', true],
    [flannel, 'fl-win-a', 'flannel.4096', false],
    [calico, 'cal-win-1', 'Calico', false],
  ])('finds another subnet on a node of %s', (name, node, networkName, cutsNetwork) => {
    const wrong = scenario(name).section(
      'hnsNetworks',
      networks => {
        networks.find(({Name}: Raw) => Name === networkName).Subnets[0].AddressPrefix = '10.99.0.0/24';
      },
      node,
    );
    expect(wrong.verdicts(id).filter(({outcome}) => outcome === 'fail')).toMatchObject([{node, remedy: {cutsNetwork}}]);
  });

  it('compares subnets, not their notation', () => {
    const written = healthy(antrea).section('hnsNetworks', networks => {
      networks.find(({Name}: Raw) => Name === 'antrea-hnsnetwork').Subnets[0].AddressPrefix = '10.124.1.1/24';
    });
    expect(written.outcomes(id)).toEqual(['pass']);
  });

  it('uses the IPv4 subnet of a dual-stack node', () => {
    const dual = healthy(antrea).object('Node', 'winapp-01', node => {
      node.spec.podCIDRs = ['fd00:1::/64', '10.124.1.0/24'];
    });
    expect(dual.outcomes(id)).toEqual(['pass']);
  });

  it('does not pass if the subnet of the node is unknown', () => {
    const unknown = healthy(antrea).object('Node', 'winapp-01', node => {
      delete node.spec.podCIDR;
      delete node.spec.podCIDRs;
    });
    expect(unknown.outcomes(id)).toEqual(['unknown']);
  });
});

describe('hns/foreign-network', () => {
  const id = 'hns/foreign-network';
  const add =
    (name: string, type = 'Overlay') =>
    (networks: Raw[]) =>
      networks.push({ID: `id-${name}`, Name: name, Type: type});

  it('names the network and its owner', () => {
    const left = healthy(antrea).section('hnsNetworks', add('flannel.4096'));
    expect(left.failures(id)).toEqual(['HNS network flannel.4096 belongs to Flannel, but this node runs Antrea.']);
    expect(left.verdicts(id)[0]).toMatchObject({severity: 'warning', remedy: {cutsNetwork: true}});
  });

  it.each([
    'nat',
    'External',
    'ext',
    'Default Switch',
    'BaseOVNKubernetesHybridOverlayNetwork',
    'WSL',
    '78655d453ff194667b479debf1d68478ad39c40130f838a646180f1ad2cb9e47',
  ])('never reports %s', name => {
    expect(healthy(antrea).section('hnsNetworks', add(name)).outcomes(id)).toEqual(['pass']);
  });

  it("does not report the plugin's own networks", () => {
    expect(healthy(calico).section('hnsNetworks', add('Calico.2')).failures(id)).toEqual([]);
  });
});
