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

  it('says that the address stayed on the NIC though the network of Antrea sits on it', () => {
    const broken = healthy(antrea).section('netIPAddresses', all => move(all, '10.21.40.61', 'Ethernet0', 4));
    expect(broken.failures(id)).toEqual([
      '10.21.40.61 is on Ethernet0, but HNS network antrea-hnsnetwork sits on Ethernet0, so the address belongs on br-int.',
    ]);
  });

  it('says that the virtual adapter of Antrea was not renamed', () => {
    const broken = healthy(antrea)
      .section('netAdapters', adapters => {
        adapters.find(({Name}: Raw) => Name === 'br-int').Name = 'vEthernet (Ethernet0)';
      })
      .section('netIPAddresses', all => move(all, '10.21.40.61', 'vEthernet (Ethernet0)', 14));
    expect(broken.failures(id)).toHaveLength(1);
  });

  it('accepts a second adapter of the same name, as Windows numbers them', () => {
    const fine = healthy(flannel).node(node => {
      for (const adapter of node.sections.netAdapters)
        if (adapter.Name === 'vEthernet (Ethernet)') adapter.Name = 'vEthernet (Ethernet) 2';
      move(node.sections.netIPAddresses, '10.90.12.41', 'vEthernet (Ethernet) 2', 16);
    }, 'fl-win-a');
    expect(fine.failures(id)).toEqual([]);
  });

  it('accepts the address on a NIC of its own beside the NIC of the tunnels', () => {
    const separate = healthy(kubeOvn).object('Node', 'kovn-win-1', node => {
      node.status.addresses[0].address = '172.20.5.31';
    });
    expect(separate.failures(id)).toEqual([]);
  });

  it('accepts the address on the NIC where the network does not exist', () => {
    expect(scenario('02-antrea-after-reboot').failures(id)).toEqual([]);
  });

  it('says that no adapter has the address', () => {
    const lost = healthy(antrea).section('netIPAddresses', all => {
      all.splice(0, all.length, ...all.filter(({IPAddress}: Raw) => IPAddress !== '10.21.40.61'));
    });
    expect(lost.failures(id)[0]).toMatch(/^No adapter of this node holds its address 10\.21\.40\.61/);
  });

  it('says that another machine uses the address', () => {
    const twice = healthy(antrea).section('netIPAddresses', all => {
      all.find(({IPAddress}: Raw) => IPAddress === '10.21.40.61').AddressState = 2;
    });
    expect(twice.failures(id)[0]).toMatch(/another machine uses the same address/);
  });

  it('cannot tell for a node of IPv6 alone', () => {
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

  it('cannot tell where Windows does not say the origin', () => {
    const silent = healthy(antrea).section('netIPAddresses', all => {
      for (const address of all) delete address.PrefixOrigin;
    });
    expect(silent.outcomes('net/static-ip')).toEqual(['unknown']);
  });
});

describe('net/apipa', () => {
  const id = 'net/apipa';

  it('finds an HNS network that remembers the address Windows gave itself', () => {
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

  it('leaves alone the loopback of Azure and NICs that are not plugged in', () => {
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

  it('does not take link-local IPv6 for it', () => {
    expect(healthy(antrea).outcomes(id)).toEqual(['pass']);
  });
});

describe('net/management-ip', () => {
  const id = 'net/management-ip';

  it('tells the network that sits on another NIC once, with all its networks', () => {
    expect(scenario('10-calico-wrong-management-ip').failures(id)).toEqual([
      'HNS networks Calico and External take 192.168.122.77 for the address of this node, but the node is 192.168.140.31: answers of its peers go elsewhere.',
    ]);
  });

  it('reads the address with and without its prefix length', () => {
    expect(healthy(antrea).outcomes(id)).toEqual(['pass']);
    expect(healthy(kubeOvn).outcomes(id)).toEqual(['pass']);
  });

  it('accepts the address of the tunnel NIC that Kube-OVN was told to use', () => {
    const separate = healthy(kubeOvn).object('Node', 'kovn-win-1', node => {
      node.status.addresses[0].address = '172.20.5.31';
    });
    expect(separate.failures(id)).toEqual([]);
  });

  it('accepts any internal address of a node that has several', () => {
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

  it('has nothing to say where no network is on a NIC', () => {
    expect(scenario('02-antrea-after-reboot').outcomes(id)).toEqual(['skipped']);
  });

  it('does not pass where HNS leaves the address out', () => {
    const silent = healthy(antrea).section('hnsNetworks', networks => {
      for (const network of networks) delete network.ManagementIP;
    });
    expect(silent.outcomes(id)).toEqual(['unknown']);
  });
});
