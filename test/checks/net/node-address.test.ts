import {describe, expect, it} from 'vitest';
import {healthy, type Raw, scenario} from '../support.js';

const antrea = '01-antrea-healthy';
const kubeOvn = '04-kube-ovn-healthy';
const flannel = '06-flannel-overlay-healthy';

function move(addresses: Raw[], ip: string, adapter: string, index: number) {
  const address = addresses.find(({IPAddress}) => IPAddress === ip);
  Object.assign(address, {InterfaceAlias: adapter, InterfaceIndex: index});
}

describe('net/node-ip-owner', () => {
  const id = 'net/node-ip-owner';

  it('reports that the address stayed on the NIC although it has the Antrea network', () => {
    const broken = healthy(antrea).section('netIPAddresses', all => move(all, '10.21.40.61', 'Ethernet0', 4));
    expect(broken.failures(id)).toEqual([
      '10.21.40.61 is on Ethernet0, but HNS network antrea-hnsnetwork uses Ethernet0, so the address must be on br-int.',
    ]);
  });

  it('reports that the virtual adapter of Antrea was not renamed', () => {
    const broken = healthy(antrea)
      .section('netAdapters', adapters => {
        adapters.find(({Name}: Raw) => Name === 'br-int').Name = 'vEthernet (Ethernet0)';
      })
      .section('netIPAddresses', all => move(all, '10.21.40.61', 'vEthernet (Ethernet0)', 14));
    expect(broken.failures(id)).toHaveLength(1);
  });

  it('accepts a second adapter with the numbered name that Windows assigns', () => {
    const fine = healthy(flannel).node(node => {
      for (const adapter of node.sections.netAdapters)
        if (adapter.Name === 'vEthernet (Ethernet)') adapter.Name = 'vEthernet (Ethernet) 2';
      move(node.sections.netIPAddresses, '10.90.12.41', 'vEthernet (Ethernet) 2', 16);
    }, 'fl-win-a');
    expect(fine.failures(id)).toEqual([]);
  });

  it('accepts the address on a separate NIC beside the tunnel NIC', () => {
    const separate = healthy(kubeOvn).object('Node', 'kovn-win-1', node => {
      node.status.addresses[0].address = '172.20.5.31';
    });
    expect(separate.failures(id)).toEqual([]);
  });

  it('accepts the address on the NIC if the network does not exist', () => {
    expect(scenario('02-antrea-after-reboot').failures(id)).toEqual([]);
  });

  it('reports that no adapter has the address', () => {
    const lost = healthy(antrea).section('netIPAddresses', all => {
      all.splice(0, all.length, ...all.filter(({IPAddress}: Raw) => IPAddress !== '10.21.40.61'));
    });
    expect(lost.failures(id)[0]).toMatch(/^No adapter of this node has its address 10\.21\.40\.61/);
  });

  it('reports that another machine uses the address', () => {
    const twice = healthy(antrea).section('netIPAddresses', all => {
      all.find(({IPAddress}: Raw) => IPAddress === '10.21.40.61').AddressState = 2;
    });
    expect(twice.failures(id)[0]).toMatch(/another machine uses the same address/);
  });

  it('is undetermined for an IPv6-only node', () => {
    const six = healthy(antrea).object('Node', 'winapp-01', node => {
      node.status.addresses[0].address = 'fd00::61';
    });
    expect(six.outcomes(id)).toEqual(['unknown']);
  });
});

describe('net/static-ip', () => {
  it('informs about a static address and does not fail', () => {
    expect(healthy(kubeOvn).outcomes('net/static-ip')).toEqual(['info']);
    expect(healthy(antrea).outcomes('net/static-ip')).toEqual(['pass']);
  });

  it('is undetermined if Windows does not report the origin', () => {
    const silent = healthy(antrea).section('netIPAddresses', all => {
      for (const address of all) delete address.PrefixOrigin;
    });
    expect(silent.outcomes('net/static-ip')).toEqual(['unknown']);
  });
});

describe('net/apipa', () => {
  const id = 'net/apipa';

  it('finds an HNS network with an APIPA address', () => {
    const broken = healthy('09-calico-vxlan-healthy').node(node => {
      for (const network of node.sections.hnsNetworks) network.ManagementIP = '169.254.17.3';
    }, 'cal-win-1');
    expect(broken.verdicts(id).find(({outcome}) => outcome === 'fail')).toMatchObject({
      node: 'cal-win-1',
      message: expect.stringContaining('HNS network Calico and HNS network External'),
      remedy: {command: 'kubectl win cleanup cal-win-1', cutsNetwork: true},
    });
  });

  it('finds a management adapter without any other address', () => {
    const broken = healthy(antrea).section('netIPAddresses', all => {
      all.find(({IPAddress}: Raw) => IPAddress === '10.21.40.61').IPAddress = '169.254.80.4';
    });
    expect(broken.failures(id)).toHaveLength(1);
  });

  it('ignores the loopback of Azure and disconnected NICs', () => {
    const fine = scenario('11-azure-cni-after-reboot')
      .section('hnsNetworks', networks => {
        networks.push({ID: 'a', Name: 'HostNCApipaNetwork', Type: 'L2Bridge', ManagementIP: '169.254.128.1'});
      })
      .section('netAdapters', adapters => {
        adapters.push(
          {
            Name: 'vEthernet (LoopbackAdapterHostNCConnectivity)',
            InterfaceIndex: 90,
            Status: 'Up',
            ComponentID: 'vms_mp',
          },
          {Name: 'Ethernet 2', InterfaceIndex: 91, Status: 'Disconnected', HardwareInterface: true},
        );
      })
      .section('netIPAddresses', all => {
        all.push(
          {
            InterfaceAlias: 'vEthernet (LoopbackAdapterHostNCConnectivity)',
            InterfaceIndex: 90,
            IPAddress: '169.254.128.1',
          },
          {InterfaceAlias: 'Ethernet 2', InterfaceIndex: 91, IPAddress: '169.254.3.3'},
        );
      });
    expect(fine.outcomes(id)).toEqual(['pass']);
  });

  it('does not mistake link-local IPv6 for it', () => {
    expect(healthy(antrea).outcomes(id)).toEqual(['pass']);
  });
});

describe('net/management-ip', () => {
  const id = 'net/management-ip';

  it('reports a network on another NIC once, with all its networks', () => {
    expect(scenario('10-calico-wrong-management-ip').failures(id)).toEqual([
      'HNS networks Calico and External use 192.168.122.77 as the node address, but it is 192.168.140.31: replies from other nodes are lost.',
    ]);
  });

  it('reads the address with and without its prefix length', () => {
    expect(healthy(antrea).outcomes(id)).toEqual(['pass']);
    expect(healthy(kubeOvn).outcomes(id)).toEqual(['pass']);
  });

  it('accepts the address of the tunnel NIC that Kube-OVN is configured with', () => {
    const separate = healthy(kubeOvn).object('Node', 'kovn-win-1', node => {
      node.status.addresses[0].address = '172.20.5.31';
    });
    expect(separate.failures(id)).toEqual([]);
  });

  it('accepts any internal address of a node with several', () => {
    const several = scenario('10-calico-wrong-management-ip').object('Node', 'lab-win', node => {
      node.status.addresses.push({type: 'InternalIP', address: '192.168.122.77'});
    });
    expect(several.failures(id)).toEqual([]);
  });

  it('only informs while the node settles after a boot', () => {
    const booted = scenario('10-calico-wrong-management-ip').section('os', os => {
      os.LastBootUpTime = '2026-02-05T18:24:00+00:00';
    });
    expect(booted.outcomes(id)).toEqual(['info']);
  });

  it('does not apply if no network is on a NIC', () => {
    expect(scenario('02-antrea-after-reboot').outcomes(id)).toEqual(['skipped']);
  });

  it('does not pass if HNS omits the address', () => {
    const silent = healthy(antrea).section('hnsNetworks', networks => {
      for (const network of networks) delete network.ManagementIP;
    });
    expect(silent.outcomes(id)).toEqual(['unknown']);
  });
});

describe('what is told of the node address', () => {
  const id = 'net/node-ip-owner';

  it('is each address that there is, where the own one is lost', () => {
    const lost = healthy(antrea)
      .object('Node', 'winapp-01', ({status}) => {
        status.addresses.push({type: 'InternalIP', address: '10.21.40.62'});
      })
      .section('netIPAddresses', all => {
        all.splice(0, all.length, ...all.filter(({IPAddress}: Raw) => IPAddress !== '10.21.40.61'));
      });
    expect(lost.verdicts(id)).toMatchObject([
      {
        message: expect.stringContaining('its address 10.21.40.61 or 10.21.40.62'),
        evidence: [
          {
            seen: [
              '127.0.0.1 on Loopback Pseudo-Interface 1',
              '10.124.1.1 on antrea-gw0',
              '172.28.96.1 on vEthernet (nat)',
            ],
            expected: ['10.21.40.61', '10.21.40.62'],
          },
        ],
        remedy: {
          cutsNetwork: true,
          steps: expect.arrayContaining([expect.stringContaining("-IPAddress '10.21.40.61'")]),
        },
      },
    ]);
  });

  it('is where it is and where it belongs', () => {
    const broken = healthy(antrea).section('netIPAddresses', all => move(all, '10.21.40.61', 'Ethernet0', 4));
    expect(broken.verdicts(id)[0]).toMatchObject({
      evidence: [
        {object: '10.21.40.61', seen: 'Ethernet0', expected: 'br-int'},
        {section: 'hnsNetworks', object: 'antrea-hnsnetwork', seen: 'Ethernet0'},
      ],
      remedy: {cutsNetwork: true},
    });
    const nic = healthy(flannel).section('netIPAddresses', all => move(all, '10.90.12.41', 'Ethernet', 6));
    expect(nic.failures(id)[0]).toMatch(/so the address must be on vEthernet \(Ethernet\)\.$/);
  });

  it('is that its adapter was not read', () => {
    const unread = healthy(antrea).section('netAdapters', all => {
      all.splice(0, all.length, ...all.filter(({Name}: Raw) => Name !== 'br-int'));
    });
    expect(unread.verdicts(id)).toMatchObject([
      {
        outcome: 'unknown',
        message: expect.stringContaining('Adapter br-int, which has 10.21.40.61, was not found among'),
      },
    ]);
  });

  it('is that it is on an adapter that another plugin left, which goes with its network', () => {
    const left = (change: (network: Raw) => void) =>
      healthy(antrea)
        .section('hnsNetworks', networks => {
          const network = networks.find(({Name}: Raw) => Name === 'antrea-hnsnetwork');
          Object.assign(network, {Name: 'flannel.4096', Type: 'Overlay'});
          change(network);
        })
        .section('netAdapters', adapters => {
          adapters.find(({Name}: Raw) => Name === 'br-int').Name = 'vEthernet (Ethernet0)';
        })
        .section('netIPAddresses', all => move(all, '10.21.40.61', 'vEthernet (Ethernet0)', 14))
        .verdicts(id)[0];
    expect(left(() => undefined)).toMatchObject({
      outcome: 'fail',
      message: expect.stringMatching(/an adapter of HNS network flannel\.4096, a leftover of Flannel/),
      evidence: [{object: '10.21.40.61', seen: 'vEthernet (Ethernet0)', expected: 'Ethernet0'}],
    });
    expect(left(network => Object.assign(network, {Name: 'somebody'}))?.outcome).toBe('pass');
    expect(left(network => Object.assign(network, {NetworkAdapterName: 'Ethernet7', ManagementIP: ''}))?.outcome).toBe(
      'pass',
    );
  });
});

describe('what is told of an automatic address', () => {
  const id = 'net/apipa';

  it('is the network and the adapter that have it', () => {
    const network = healthy(antrea).section('hnsNetworks', networks => {
      networks.find(({Name}: Raw) => Name === 'antrea-hnsnetwork').ManagementIP = '169.254.17.3';
    });
    expect(network.verdicts(id)).toMatchObject([
      {
        message: expect.stringMatching(/^HNS network antrea-hnsnetwork has a 169\.254 address/),
        evidence: [{section: 'hnsNetworks', seen: '169.254.17.3', expected: '10.21.40.61'}],
        remedy: {cutsNetwork: true},
      },
    ]);
    const adapter = healthy(antrea).section('netIPAddresses', all => {
      all.find(({IPAddress}: Raw) => IPAddress === '10.21.40.61').IPAddress = '169.254.80.4';
    });
    expect(adapter.verdicts(id)).toMatchObject([
      {
        message: expect.stringMatching(/^adapter br-int has a 169\.254 address/),
        evidence: [{section: 'netIPAddresses', object: 'br-int', seen: ['169.254.80.4']}],
      },
    ]);
  });

  it('is nothing while the adapter has another one too', () => {
    const both = healthy(antrea).section('netIPAddresses', all =>
      all.push({InterfaceAlias: 'br-int', InterfaceIndex: 14, IPAddress: '169.254.80.4'}),
    );
    expect(both.outcomes(id)).toEqual(['pass']);
  });

  it('is a NIC that is up, where the node address is nowhere', () => {
    const nic = (Status: string) =>
      scenario('02-antrea-after-reboot')
        .section('netAdapters', adapters => {
          adapters.find(({Name}: Raw) => Name === 'Ethernet0').Status = Status;
        })
        .section('netIPAddresses', all => {
          for (const address of all) if (address.InterfaceAlias === 'Ethernet0') address.IPAddress = '169.254.80.4';
        })
        .outcomes(id)[0];
    expect(nic('Up')).toBe('fail');
    expect(nic('Disconnected')).toBe('pass');
  });
});

describe('what is told of the address that HNS has', () => {
  const id = 'net/management-ip';
  const calico = () => scenario('10-calico-wrong-management-ip');

  it('is that of each network, and the NIC to set first', () => {
    const [found] = calico().verdicts(id);
    expect(found?.evidence).toMatchObject([
      {object: 'Calico', seen: '192.168.122.77', expected: '192.168.140.31'},
      {object: 'External', seen: '192.168.122.77', expected: '192.168.140.31'},
    ]);
    expect(JSON.stringify(found?.remedy)).toMatch(/First set the NIC of Calico/);
  });

  it('is not a NIC to set, where the network is on the right one', () => {
    const moved = calico().section('netIPAddresses', all => {
      for (const address of all) if (address.IPAddress === '192.168.122.77') address.IPAddress = '192.168.122.78';
    });
    expect(JSON.stringify(moved.verdicts(id)[0]?.remedy)).not.toMatch(/First set the NIC/);
  });

  it('is one network where the other is right, and is not of that switch', () => {
    const apart = calico().section('hnsNetworks', networks => {
      networks.find(({Name}: Raw) => Name === 'External').LayeredOn = '11111111-2222-3333-4444-555555555555';
    });
    expect(apart.failures(id)[0]).toMatch(/^HNS network Calico uses 192\.168\.122\.77/);
  });

  it('is what the networks that only keep the switch have, where there is none of pods', () => {
    const keeper = (Type: string) =>
      calico()
        .section('hnsNetworks', networks => {
          networks.splice(
            networks.findIndex(({Name}: Raw) => Name === 'Calico'),
            1,
          );
          networks.find(({Name}: Raw) => Name === 'External').Type = Type;
        })
        .outcomes(id)[0];
    expect(keeper('L2Bridge')).toBe('fail');
    expect(keeper('NAT')).toBe('skipped');
  });

  it('is that an overlay has none', () => {
    const none = calico().section('hnsNetworks', networks => {
      for (const network of networks) network.ManagementIP = '';
    });
    expect(none.verdicts(id)).toMatchObject([
      {
        outcome: 'fail',
        message: expect.stringMatching(/^HNS networks Calico and External have no ManagementIP/),
        evidence: [
          {object: 'Calico', seen: null, expected: '192.168.140.31'},
          {object: 'External', seen: null, expected: '192.168.140.31'},
        ],
      },
    ]);
    const one = calico().section('hnsNetworks', networks => {
      delete networks.find(({Name}: Raw) => Name === 'Calico').ManagementIP;
    });
    expect(one.failures(id)[0]).toMatch(/^HNS network Calico has no ManagementIP/);
  });

  it('is undetermined for a node without an internal address', () => {
    const six = calico().object('Node', 'lab-win', ({status}) => {
      status.addresses = [{type: 'InternalIP', address: 'fd00::31'}];
    });
    expect(six.outcomes(id)).toEqual(['unknown']);
  });
});
