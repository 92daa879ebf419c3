import type {NodeRepair} from '../../model/plugin-cleanup.js';
import type {PlanStep} from '../../model/step.js';
import {same} from '../../snapshot/hns.js';
import {mayOpen, ruleName} from '../steps/firewall-steps.js';
import {nodeUplink} from './adapter-configuration.js';

// Repairs of the node itself rather than of a plugin's network. Each uses the evidence of its check.

/** Starts HNS, or restarts it if it has too many threads. */
export function hnsService({subject, failed, level}: NodeRepair): PlanStep[] {
  const hns = subject.node.services?.find(({name}) => same(name, 'hns'));
  if (!hns) return [];
  if (failed('hns/service')) return [{do: 'service.start', with: {name: hns.name}, why: 'HNS is not running.'}];
  if (level !== 'hard' || !(failed('hns/threads') || failed('hns/responds'))) return [];
  return [
    {do: 'service.restart', with: {name: hns.name}, why: 'HNS has too many threads: its calls block each other.'},
  ];
}

/** NICs that are still bound to a removed switch. */
export function orphanBindings({subject, seen}: NodeRepair): PlanStep[] {
  const {netIPInterfaces} = subject.node;
  return seen('net/orphan-switch-binding', 'adapterBindings').flatMap((adapter): PlanStep[] => {
    const leases =
      netIPInterfaces?.some(its => same(its.adapter, adapter) && its.family === 'IPv4' && its.dhcp) ?? false;
    return [
      {
        do: 'adapter.setBinding',
        with: {adapter, componentId: 'vms_pp', enabled: false},
        why: `${adapter} is bound to a removed switch and carries no traffic until it is unbound.`,
      },
      ...(leases ? [{do: 'ip.renew', with: {adapter}, why: `${adapter} gets its address from DHCP.`} as const] : []),
    ];
  });
}

/** Routes to the pods of other nodes, if no agent creates them. */
export function addPeerRoutes({subject, seen}: NodeRepair): PlanStep[] {
  const adapter = nodeUplink(subject)?.adapter;
  const missing = seen('net/peer-routes', 'netRoutes');
  if (adapter === undefined) return [];
  return (subject.plugin.profile.peers ?? []).flatMap(({node, prefix, address}): PlanStep[] =>
    address !== undefined && missing.includes(prefix)
      ? [
          {
            do: 'route.add',
            with: {destination: prefix, nextHop: address, adapter},
            why: `Pods on ${node} are reached through it.`,
          },
        ]
      : [],
  );
}

/** The route to the cloud's metadata service, which a new network does not keep. */
export function metadataRoute({subject, failed}: NodeRepair): PlanStep[] {
  const uplink = failed('net/metadata-route') ? nodeUplink(subject) : undefined;
  if (uplink?.gateway === undefined) return [];
  return [
    {
      do: 'route.add',
      with: {destination: '169.254.169.254/32', nextHop: uplink.gateway, adapter: uplink.adapter},
      why: 'The metadata service of the cloud is reached through the gateway.',
    },
  ];
}

/** Ports that no firewall rule allows. */
export function firewallRules({seen}: NodeRepair): PlanStep[] {
  return seen('net/firewall', 'firewall').flatMap((object): PlanStep[] => {
    const [, protocol, port] = /^(TCP|UDP) (\d{1,5})$/.exec(object) ?? [];
    if ((protocol !== 'TCP' && protocol !== 'UDP') || !mayOpen(protocol, Number(port))) return [];
    return [
      {
        do: 'firewall.allow',
        with: {
          name: ruleName(protocol, Number(port)),
          displayName: `kubectl win: ${protocol} ${port}`,
          protocol,
          port: Number(port),
        },
        why: 'The firewall is on, and no rule allows it.',
      },
    ];
  });
}
