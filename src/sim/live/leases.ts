import {listAt} from '../json.js';
import {type NodeState, rows} from '../node/state.js';
import type {DhcpLease} from '../plans/step.js';

/** A DHCP server: gives an adapter the address that its MAC address had before. */
export class Leases {
  readonly #leases = new Map<unknown, DhcpLease>();

  learn(state: NodeState): void {
    for (const {InterfaceAlias, IPAddress, PrefixLength, PrefixOrigin} of rows(state, 'netIPAddresses')) {
      if (PrefixOrigin !== 'Dhcp') continue;
      const isOn = (row: {InterfaceAlias?: unknown}) => row.InterfaceAlias === InterfaceAlias;
      const adapter = rows(state, 'netAdapters').find(({Name}) => Name === InterfaceAlias);
      const way = rows(state, 'netRoutes').find(row => isOn(row) && row.DestinationPrefix === '0.0.0.0/0');
      this.#leases.set(adapter?.MacAddress, {
        address: String(IPAddress),
        prefix: Number(PrefixLength),
        gateway: String(way?.NextHop ?? ''),
        servers: listAt(rows(state, 'dnsServers').find(isOn), 'ServerAddresses').map(String),
      });
    }
  }

  of(mac: string): DhcpLease | undefined {
    return this.#leases.get(mac);
  }
}
