import type {JsonObject} from '../json.js';
import {addRows} from '../node/edit.js';
import {HnsFactory} from '../node/hns.js';
import {endProgram, startProgram} from '../node/programs.js';
import {rows, setRows} from '../node/state.js';
import {countEndpoints, networkNamed} from '../node/switch.js';
import {loadBalancers} from './load-balancers.js';
import type {Started, Starting} from './plugin.js';

const program = 'kube-proxy.exe';

export interface SimulatedKubeProxy {
  /** The network in its configuration. */
  network: string;
  dsr?: boolean;
  /** Finds or creates the source VIP. A string is the reason why it waits or exits. */
  sourceVip(starting: Starting, network: JsonObject, factory: HnsFactory): {address: string} | string;
}

/**
 * kube-proxy removes every load balancer when it starts, and recreates them. It keeps remote endpoints and reuses those
 * it needs (kubernetes pkg/proxy/winkernel, CleanupLeftovers).
 */
export function startKubeProxy(starting: Starting, proxy: SimulatedKubeProxy): Started {
  const {node, state, now, random, services} = starting;
  endProgram(state, program);
  const network = networkNamed(state, proxy.network);
  if (!network) return {ready: false, why: `Waiting for Network [${proxy.network}] to be created . . .`};
  const factory = new HnsFactory(node.release, random.for('kube-proxy'));
  const source = proxy.sourceVip(starting, network, factory);
  if (typeof source === 'string') return {ready: false, why: source};
  const {remotes, policyLists} = loadBalancers({
    services,
    factory,
    network,
    endpoints: rows(state, 'hnsEndpoints').filter(endpoint => endpoint.VirtualNetwork === network.ID),
    sourceVip: source.address,
    ...(/^overlay$/i.test(String(network.Type)) && {overlayOn: node.address}),
    ...(proxy.dsr && {dsr: true}),
    made: now,
  });
  setRows(state, 'hnsPolicyLists', policyLists);
  addRows(state, 'hnsEndpoints', ...remotes);
  countEndpoints(state);
  startProgram(state, program, now, 15, random);
  return {ready: true};
}

/** On an L2Bridge network it uses the node's address. */
export const nodeAddress: SimulatedKubeProxy['sourceVip'] = ({node}) => ({address: node.address});
