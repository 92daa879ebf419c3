import {shellText} from '../../lib/quote.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import {usesOvs} from '../../model/plugin.js';
import {cleanupRemedy, manual} from '../../model/remedies.js';
import {type Evidence, fail, skipped, unknown} from '../../model/verdict.js';
import type {Pod} from '../../snapshot/cluster.js';
import {same} from '../../snapshot/hns.js';
import type {Ovs, OvsInterface, OvsPort} from '../../snapshot/ovs.js';
import {podNetwork} from '../pod-network.js';
import {uplinkOf} from '../uplink.js';

/**
 * A pod's port is created before its vNIC: "No such device" disappears within a minute (openvswitch/ovs-issues#262).
 */
const startTime = 60_000;

export const portChecks: readonly Check[] = [
  check({
    id: 'ovs/uplink-port',
    title: 'Network adapter is a working port of the bridge',
    failure: 'Network adapter is not a working port of the bridge',
    severity: 'error',
    repair: {level: 'soft', effect: 'cut', restarts: 'agent'},
    plugins: 'plugins on OVS',
    needs: ['ovs', 'hnsNetworks'],
    consequenceOf: ['hns/network-present', 'ovs/stale-bridge', 'ovs/bridges', 'ovs/services', 'ovs/extension'],
    appliesTo: usesOvs,
    run({node, plugin}) {
      const network = podNetwork(node, plugin.profile.network);
      if (!network) return skipped(`HNS network ${plugin.profile.network?.name} does not exist.`);
      const bridges = ownBridges(node.ovs, plugin.profile.bridges);
      if (bridges.length === 0) return skipped(`OVS has no bridge ${plugin.profile.bridges.join(' or ')}.`);
      const uplink = uplinkOf(node, network);
      if (uplink === undefined) return unknown(`The NIC of HNS network ${network.name} could not be determined.`);
      const where = bridges.map(({name}) => name).join(' or ');
      const port = bridges.flatMap(({ports}) => ports).find(({name}) => same(name, uplink));
      if (!port) {
        return fail(
          `NIC ${uplink} of HNS network ${network.name} is not a port of ${where}: no traffic leaves the node.`,
        )
          .because({
            section: 'ovs',
            object: where,
            field: 'ports',
            seen: bridges.flatMap(({ports}) => ports.map(({name}) => name)),
            expected: `a port ${uplink}`,
          })
          .fixedBy(cleanupRemedy(node, {cuts: true}));
      }
      const broken = port.interfaces.find(hasError) ?? (port.interfaces.length === 0 ? nothing : undefined);
      if (!broken) return undefined;
      return fail(
        `NIC ${uplink} is a port of ${where} in the OVS database, but OVS did not create it: no traffic leaves the node.`,
      )
        .because(faultOf(uplink, broken))
        .fixedBy(cleanupRemedy(node, {cuts: true}));
    },
    explain: {
      meaning:
        'The physical NIC must be a port of the OVS bridge (br-int for Antrea, br-provider for Kube-OVN), and OVS must have assigned a port number to it. Otherwise the node and its pods have no network outside the node.',
      why: 'Adding the NIC failed because the extension is disabled or the driver does not respond, the NIC was renamed, or the port was deleted manually.',
      see: [
        'ovs-vsctl.exe --timeout=5 show',
        "ovs-vsctl.exe --timeout=5 --columns=name,ofport,error list Interface 'Ethernet0'",
        'Get-HnsNetwork | Select-Object Name, NetworkAdapterName',
      ],
      fix: [
        'Make sure that you have console access: every step can interrupt the node network.',
        'Restart the agent; it adds the uplink when it starts.',
        'If that does not help, recreate the network: kubectl win cleanup NODE --level=hard',
      ],
      sources: [
        'https://github.com/antrea-io/antrea/blob/main/docs/design/windows-design.md',
        'https://github.com/antrea-io/antrea/issues/1458',
      ],
    },
  }),

  check({
    id: 'ovs/port-error',
    title: 'OVS created all its ports',
    failure: 'OVS could not create some of its ports',
    severity: 'warning',
    repair: {level: 'soft', effect: 'none', restarts: 'agent'},
    plugins: 'plugins on OVS',
    needs: ['ovs', 'hnsNetworks'],
    consequenceOf: ['ovs/stale-bridge', 'ovs/services', 'ovs/extension', 'ovs/driver'],
    appliesTo: usesOvs,
    run(subject) {
      const {node, plugin} = subject;
      const network = podNetwork(node, plugin.profile.network);
      if (!network) return skipped(`HNS network ${plugin.profile.network?.name} does not exist.`);
      const uplink = uplinkOf(node, network);
      const broken = ownBridges(node.ovs, plugin.profile.bridges)
        .flatMap(({ports}) => ports)
        // The uplink and the gateway have separate checks.
        .filter(({name}) => !(uplink && same(name, uplink)) && !same(name, plugin.profile.ovs?.gateway.port ?? ''))
        .filter(({interfaces}) => interfaces.some(hasError));
      const diagnosed = broken.map(port => ({port, ...stateOf(port, subject)}));
      const of = (state: PortState) => diagnosed.filter(its => its.state === state);
      const dead = of('dead');
      const alive = of('alive');
      const verdicts = of('own').map(({port}) =>
        fail(
          `OVS could not create port ${port.name}: ${port.interfaces.find(hasError)?.error ?? 'it has no port number'}.`,
        )
          .because(...evidenceOf([port]))
          .fixedBy(cleanupRemedy(node)),
      );
      if (dead.length > 0)
        verdicts.push(
          fail(
            `OVS still has ${count(dead.length, 'port')} of deleted pods: ${named(dead.map(({port}) => port.name))}.`,
          )
            .because(...evidenceOf(dead.map(({port}) => port)))
            .fixedBy(cleanupRemedy(node)),
        );
      if (alive.length > 0)
        verdicts.push(
          fail(
            `OVS could not create ${count(alive.length, 'port')} of running pods: ${named(alive.map(({port}) => port.name))}.`,
          )
            .because(...evidenceOf(alive.map(({port}) => port)))
            .fixedBy(manual(...alive.flatMap(({pod}) => (pod ? [deletePod(pod)] : [])))),
        );
      if (verdicts.length === 0 && of('unclear').length > 0)
        return unknown(
          `Ports without a device: ${named(of('unclear').map(({port}) => port.name))}. The age of their pods is unknown.`,
        );
      return verdicts;
    },
    explain: {
      meaning:
        'The OVS database has ports that OVS could not create: their error column is not empty, or they have no port number. A port of a deleted pod is harmless, but many of them slow down OVS. A port of a running pod means that the pod has no network.',
      why: 'A pod was removed while the agent was down, the node was rebooted, or the vNIC of a pod was never created. "No such device" is normal in the first minute of a pod: the port is created before the vNIC.',
      see: [
        'ovs-vsctl.exe --timeout=5 --columns=name,ofport,error list Interface',
        'Get-HnsEndpoint | Select-Object Name, State',
      ],
      fix: [
        'Port of a deleted pod: ovs-vsctl.exe --no-wait --if-exists del-port br-int PORT',
        'Port of a running pod: delete the pod. Its replacement gets a new port.',
        'Any other port: restart the agent.',
      ],
      sources: ['https://github.com/openvswitch/ovs-issues/issues/262'],
    },
  }),
];

type PortState = 'own' | 'dead' | 'alive' | 'young' | 'unclear';

/** The owner of a port, and whether it may still become ready. */
function stateOf(port: OvsPort, {node, cluster, now}: NodeSubject): {state: PortState; pod?: Pod} {
  const owner = ownerOf(port);
  if (!owner) return {state: 'own'};
  if (node.hnsEndpoints && !node.hnsEndpoints.some(({name}) => same(name, port.name))) return {state: 'dead'};
  if (!cluster) return {state: 'unclear'};
  const pod = cluster
    .podsOn(node.name)
    .find(({metadata}) => metadata.name === owner.name && metadata.namespace === owner.namespace);
  if (!pod) return {state: 'dead'};
  if (pod.metadata.deletionTimestamp !== undefined) return {state: 'young'};
  const started = pod.status?.startTime ?? pod.metadata.creationTimestamp;
  if (started === undefined) return {state: 'unclear'};
  return now - started < startTime ? {state: 'young'} : {state: 'alive', pod};
}

/** The pod of a port: Antrea labels the port, Kube-OVN the interface. */
function ownerOf({externalIds, interfaces}: OvsPort): {name: string; namespace: string | undefined} | undefined {
  const marks = {...externalIds, ...interfaces[0]?.externalIds};
  const name = marks['pod-name'] ?? marks.pod_name;
  return name === undefined ? undefined : {name, namespace: marks['pod-namespace'] ?? marks.pod_namespace};
}

/** -1 or no number: OVS did not create it. Logs show 65535 for the same. */
function hasError({error, ofport}: OvsInterface): boolean {
  return error !== undefined || ofport === undefined || ofport <= 0 || ofport === 65535;
}

const nothing: OvsInterface = {name: '', type: '', error: undefined, ofport: undefined, options: {}, externalIds: {}};

function ownBridges(ovs: Ovs, names: readonly string[]) {
  return ovs.bridges.filter(({name}) => names.some(its => same(its, name)));
}

function faultOf(name: string, {error, ofport}: OvsInterface): Evidence {
  return error === undefined
    ? {section: 'ovs', object: `Interface ${name}`, field: 'ofport', seen: ofport ?? null, expected: 'above 0'}
    : {section: 'ovs', object: `Interface ${name}`, field: 'error', seen: error, expected: 'none'};
}

function evidenceOf(ports: readonly OvsPort[]): Evidence[] {
  return ports.flatMap(({interfaces}) => interfaces.filter(hasError).map(its => faultOf(its.name, its)));
}

function deletePod({metadata}: Pod): string {
  return `kubectl -n ${shellText(metadata.namespace ?? 'default')} delete pod ${shellText(metadata.name)}`;
}

function count(amount: number, noun: string): string {
  return amount === 1 ? `a ${noun}` : `${amount} ${noun}s`;
}

/** Names for a message; the evidence lists all of them. */
function named(names: readonly string[]): string {
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
}
