import {contains} from '../../../addresses.js';
import {type JsonObject, listAt, textAt} from '../../../json.js';
import {addRows} from '../../../node/edit.js';
import {contentOf, fileAt, writeFile} from '../../../node/files.js';
import {rows} from '../../../node/state.js';
import {freeAddress, leasesOf} from '../../host-local.js';
import {type SimulatedKubeProxy, startKubeProxy} from '../../kube-proxy.js';
import type {Started, Starting} from '../../plugin.js';
import {sourceVipCache, sourceVipLease} from './files.js';
import {sourceEndpoint} from './hns.js';
import {networkName, sourceVip, sourceVipFile} from './names.js';

export const flannelProxyStart = (starting: Starting): Started =>
  startKubeProxy(starting, {network: networkName, sourceVip: reservedVip});

/** The start script keeps the address of its first reservation, even if the subnet changes (start-kubeproxy.ps1). */
const reservedVip: SimulatedKubeProxy['sourceVip'] = (starting, network, factory) => {
  const {node, state, now} = starting;
  if (!fileAt(state, sourceVipFile)) reserve(starting);
  const address = /"address":\s*"([^"/]+)/.exec(contentOf(state, sourceVipFile))?.[1];
  if (address === undefined) return 'source-vip flag not set';
  const subnets = listAt(network, 'Subnets').map(subnet => textAt(subnet, 'AddressPrefix'));
  if (!subnets.some(subnet => contains(subnet, address)))
    return `hcnCreateEndpoint failed in Win32: The IP address ${address} is not in a subnet of the network. (0x803b001e)`;
  const isThere = (endpoint: JsonObject) => endpoint.IPAddress === address && endpoint.VirtualNetwork === network.ID;
  if (!rows(state, 'hnsEndpoints').some(isThere))
    addRows(state, 'hnsEndpoints', sourceEndpoint(factory, node, network, address, now));
  return {address};
};

/** Adds a lease without a pod, and the file that describes it. */
function reserve({node, state, now}: Starting): void {
  const own = sourceVip(node);
  const isOwn = contentOf(state, `${leasesOf(networkName)}\\${own}`).startsWith('dummy');
  const address = isOwn ? own : freeAddress(state, networkName, node, 2);
  if (address === undefined) return;
  writeFile(state, sourceVipLease(address, now));
  writeFile(state, sourceVipCache(node, address, now));
}
