import {describe, expect, it} from 'vitest';
import {healthy, type Raw} from '../support.js';

const id = 'ovs/uplink-port';
const switchId = '5785414e-5865-4588-b963-ad57930065a2';
const second = {
  Name: 'Ethernet1',
  InterfaceDescription: 'vmxnet3 Ethernet Adapter #2',
  InterfaceIndex: 9,
  InterfaceGuid: '{B1398215-B4B3-42A3-95BF-17560DC533F2}',
  MacAddress: '00-50-56-DA-D8-46',
};

/** A node whose network does not name its NIC, with a second NIC; what its switches and bindings are is changed. */
function unnamed(change: (sections: Raw) => void = () => undefined) {
  return healthy('01-antrea-healthy').node(({sections}) => {
    const network = sections.hnsNetworks.find(({Name}: Raw) => Name === 'antrea-hnsnetwork');
    delete network.NetworkAdapterName;
    network.LayeredOn = switchId;
    sections.netAdapters.unshift({...sections.netAdapters[0], ...second});
    change(sections);
  });
}

const switchOf = (sections: Raw) => sections.vmSwitches.find(({Name}: Raw) => Name === 'antrea-hnsnetwork');
const onSecond = [
  `NIC Ethernet1 of HNS network antrea-hnsnetwork is not a port of br-int: no traffic leaves the node.`,
];

describe('the NIC under a network that does not name it', () => {
  it('is the one of its switch', () => {
    expect(unnamed().outcomes(id)).toEqual(['pass']);
    const moved = unnamed(sections => {
      switchOf(sections).NetAdapterInterfaceDescription = second.InterfaceDescription;
    });
    expect(moved.failures(id)).toEqual(onSecond);
  });

  it('is the one of the switch that it is layered on, whatever that is called', () => {
    const renamed = unnamed(sections => {
      Object.assign(switchOf(sections), {Name: 'first', NetAdapterInterfaceDescription: second.InterfaceDescription});
      sections.vmSwitches.unshift({
        Name: 'antrea-hnsnetwork',
        Id: '11111111-2222-3333-4444-555555555555',
        SwitchType: 'External',
        NetAdapterInterfaceDescription: 'vmxnet3 Ethernet Adapter',
      });
    });
    expect(renamed.failures(id)).toEqual(onSecond);
  });

  it('is the one of the switch with its name where neither has an id', () => {
    const nameless = unnamed(sections => {
      delete sections.hnsNetworks.find(({Name}: Raw) => Name === 'antrea-hnsnetwork').LayeredOn;
      delete switchOf(sections).Id;
      sections.vmSwitches.unshift({
        Name: 'other',
        SwitchType: 'External',
        NetAdapterInterfaceDescription: second.InterfaceDescription,
      });
    });
    expect(nameless.outcomes(id)).toEqual(['pass']);
  });

  it('is not a virtual adapter that has the same description', () => {
    const doubled = unnamed(sections => {
      sections.netAdapters.unshift({
        ...sections.netAdapters[0],
        Name: 'vEthernet (Ethernet0)',
        InterfaceDescription: 'vmxnet3 Ethernet Adapter',
        Virtual: true,
      });
    });
    expect(doubled.outcomes(id)).toEqual(['pass']);
  });

  it('is the only one that is bound to a switch, where the switches were not read', () => {
    const bound = (Enabled: boolean) =>
      unnamed(({adapterBindings}) => {
        adapterBindings.push(
          {Name: 'Ethernet1', ComponentID: 'vms_pp', Enabled},
          {Name: 'Ethernet1', ComponentID: 'ms_tcpip', Enabled: true},
        );
      }).without('vmSwitches');
    expect(bound(false).outcomes(id)).toEqual(['pass']);
    expect(bound(true).outcomes(id)).toEqual(['unknown']);
  });

  it('is not an adapter without a description, where a switch has none either', () => {
    const blank = unnamed(sections => {
      delete switchOf(sections).NetAdapterInterfaceDescription;
      delete sections.netAdapters[0].InterfaceDescription;
    });
    expect(blank.outcomes(id)).toEqual(['pass']);
    expect(blank.without('adapterBindings').outcomes(id)).toEqual(['unknown']);
  });
});
