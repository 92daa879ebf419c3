import {type Check, check, type NodeSubject} from '../../model/check.js';
import {cleanupRemedy} from '../../model/remedies.js';
import {fail, type Verdict} from '../../model/verdict.js';
import {contains} from '../../snapshot/addresses.js';
import {type Endpoint, same} from '../../snapshot/hns.js';
import {podNetwork} from '../pod-network.js';

const stateNames = ['Uninitialized', 'Created', 'Attached', 'AttachedSharing', 'Detached', 'Degraded', 'Destroyed'];

export const hostEndpointChecks: readonly Check[] = [
  check({
    id: 'hns/host-endpoint',
    title: 'Host endpoint of the node exists and is attached',
    failure: 'Host endpoint of the node is missing or not attached',
    severity: 'error',
    repair: {level: 'soft', effect: 'none', restarts: 'agent'},
    plugins: 'Flannel host-gw, Calico, hybrid overlay',
    needs: ['hnsNetworks', 'hnsEndpoints'],
    settles: true,
    consequenceOf: ['hns/network-present', 'hns/responds', 'hns/service', 'cni/agent-pod', 'kube-proxy/expected'],
    appliesTo: ({plugin}) => plugin.profile.hostEndpoint !== undefined,
    run(subject) {
      const {node, plugin} = subject;
      const expected = plugin.profile.hostEndpoint;
      if (!expected) return undefined;
      const endpoints = node.hnsEndpoints.filter(({name}) => same(name, expected.name));
      const [endpoint] = endpoints;
      if (!endpoint) return missing(subject, expected.name);
      return endpoints.length > 1
        ? several(subject, endpoints)
        : (outside(subject, endpoint) ?? (expected.attached ? detached(subject, endpoint) : undefined));
    },
    explain: {
      meaning:
        'The plugin creates one endpoint for the node itself: cbr0_ep for Flannel host-gw, Calico_ep for Calico, VIPEndpoint for the hybrid overlay. It is the gateway of the pods, or the source address for Services. Without it, pods cannot reach the node or Services.',
      why: 'After a reboot the endpoint can remain in HNS without its adapter. The agent finds it by name, treats "already attached" as success, and waits for an adapter that never appears.',
      see: [
        'Get-HnsEndpoint | Select-Object Name, IPAddress, State, VirtualNetworkName',
        "Get-NetAdapter -IncludeHidden | Where-Object Name -like 'vEthernet (*_ep)'",
      ],
      fix: [
        "Remove the leftover: Get-HnsEndpoint | Where-Object Name -eq 'cbr0_ep' | Remove-HnsEndpoint",
        'Restart the agent; it recreates the endpoint.',
        'For the hybrid overlay restart kube-proxy: its start script creates VIPEndpoint.',
      ],
      sources: [
        'https://github.com/flannel-io/flannel/issues/1423',
        'https://github.com/flannel-io/flannel/issues/1391',
        'https://github.com/projectcalico/calico/issues/8219',
      ],
    },
  }),
];

function missing({node, plugin}: NodeSubject, name: string): Verdict {
  return fail(`HNS endpoint ${name}, the endpoint of the node on the pod network, does not exist.`)
    .because({
      section: 'hnsEndpoints',
      object: name,
      seen: null,
      expected: `an endpoint on ${podNetwork(node, plugin.profile.network)?.name ?? plugin.profile.network?.name}`,
    })
    .fixedBy(cleanupRemedy(node));
}

function several({node}: NodeSubject, endpoints: readonly Endpoint[]): Verdict {
  return fail(`${endpoints.length} HNS endpoints have the name ${endpoints[0]?.name}, but only one can be in use.`)
    .because(
      ...endpoints.map(({id, ip, state}) => ({
        section: 'hnsEndpoints',
        object: id,
        field: 'IPAddress',
        seen: {ip, state},
        expected: 'one endpoint with this name',
      })),
    )
    .explaining('cni/agent-pod')
    .fixedBy(cleanupRemedy(node));
}

/** An address in another subnet: the network was recreated or got another block, but the endpoint is older. */
function outside({node, plugin}: NodeSubject, {name, ip}: Endpoint): Verdict | undefined {
  const network = podNetwork(node, plugin.profile.network);
  const prefixes = network?.subnets.map(({prefix}) => prefix) ?? [];
  if (ip === undefined || prefixes.length === 0 || prefixes.some(prefix => contains(prefix, ip))) return undefined;
  return fail(`HNS endpoint ${name} has address ${ip}, which is outside the subnet of network ${network?.name}.`)
    .because({section: 'hnsEndpoints', object: name, field: 'IPAddress', seen: ip, expected: prefixes})
    .explaining('cni/agent-pod')
    .fixedBy(cleanupRemedy(node));
}

/** HNS v2 reports no state: then only the adapter is checked. */
function detached({node}: NodeSubject, {name, ip, state}: Endpoint): Verdict | undefined {
  const isAttached = state === undefined || state === 2 || state === 3;
  const adapter = node.netIPAddresses?.find(address => address.ip === ip);
  const adapterKnown = node.netIPAddresses !== undefined && ip !== undefined;
  if (isAttached && (adapter || !adapterKnown)) return undefined;
  const seen = isAttached ? 'no adapter of the node has its address' : `its state is ${stateNames[state] ?? state}`;
  return fail(`HNS endpoint ${name} is not attached to the node (${seen}), so the node cannot reach its pods.`)
    .because(
      {
        section: 'hnsEndpoints',
        object: name,
        field: 'State',
        seen: state === undefined ? null : `${state} (${stateNames[state] ?? 'unknown'})`,
        expected: '2 (Attached)',
      },
      ...(adapterKnown
        ? [
            {
              section: 'netIPAddresses',
              object: `vEthernet (${name})`,
              field: 'IPAddress',
              seen: adapter?.ip ?? null,
              expected: ip,
            },
          ]
        : []),
    )
    .explaining('cni/agent-pod')
    .fixedBy(cleanupRemedy(node));
}
