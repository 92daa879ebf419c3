import {powerShellText} from '../../lib/quote.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import {cleanupRemedy, manual} from '../../model/remedies.js';
import {fail, info, unknown, type Verdict} from '../../model/verdict.js';
import {contains} from '../../snapshot/addresses.js';
import type {Address, Route} from '../../snapshot/sections.js';
import {podNetwork} from '../pod-network.js';
import {nodeAddressHolder} from './adapters.js';
import {apiServers, isApiServer} from './api-server.js';

const metadataService = '169.254.169.254';

export const routeChecks: readonly Check[] = [
  check({
    id: 'net/default-route',
    title: 'Default route is usable',
    failure: 'No usable default route',
    severity: 'error',
    needs: ['netRoutes', 'netIPAddresses', 'nodeObject'],
    consequenceOf: ['net/node-ip-owner', 'net/apipa'],
    run(subject) {
      const {node, object} = subject;
      const routes = node.netRoutes.filter(({prefix, persistent}) => prefix === '0.0.0.0/0' && !persistent);
      if (routes.length === 0)
        return fail('The node has no default route: it cannot reach addresses outside its subnet.')
          .because({
            section: 'netRoutes',
            object: '0.0.0.0/0',
            seen: null,
            expected: 'a default route on the management adapter',
          })
          .fixedBy(cleanupRemedy(node, {cuts: true}));
      const held = nodeAddressHolder(node, object);
      if (!held) return unknown('No adapter has the node address, so its default route cannot be determined.');
      const own = routes.filter(route => isOn(route, held));
      if (own.length === 0) return elsewhere(subject, held, routes);
      const best = Math.min(...own.map(({metric}) => metric ?? 0));
      const gateways = new Set(own.filter(({metric}) => (metric ?? 0) === best).map(({nextHop}) => nextHop));
      if (gateways.size < 2) return competing(subject, held, best, routes);
      return fail(`${held.adapter} has default routes to ${gateways.size} gateways with the same metric.`)
        .because({
          section: 'netRoutes',
          object: `0.0.0.0/0 on ${held.adapter}`,
          field: 'NextHop',
          seen: [...gateways],
          expected: 'one preferred gateway',
        })
        .fixedBy(cleanupRemedy(node, {cuts: true}));
    },
    explain: {
      meaning:
        'Traffic to other subnets uses the default route of the adapter that has the node address. That adapter has no default route, or several with the same metric.',
      why: 'Creating or removing an HNS network moves the address to another adapter. Windows does not always move the routes, and scripts that add them at boot can add them twice.',
      see: [
        'Get-NetRoute -DestinationPrefix 0.0.0.0/0 | Select-Object InterfaceAlias, NextHop, RouteMetric, Store',
        'Get-NetIPInterface -AddressFamily IPv4 | Select-Object InterfaceAlias, InterfaceMetric',
      ],
      fix: [
        'New-NetRoute -DestinationPrefix 0.0.0.0/0 -InterfaceAlias ADAPTER -NextHop GATEWAY',
        'To remove a duplicate: Remove-NetRoute -DestinationPrefix 0.0.0.0/0 -NextHop GATEWAY',
      ],
      sources: [
        'https://github.com/ovn-kubernetes/ovn-kubernetes/blob/master/go-controller/hybrid-overlay/pkg/controller/ho_node_windows.go',
      ],
    },
  }),

  check({
    id: 'net/duplicate-persistent-routes',
    title: 'Persistent routes are unique',
    failure: 'Duplicate persistent routes',
    severity: 'warning',
    needs: ['netRoutes'],
    run({node}) {
      const persistent = node.netRoutes.filter(route => route.persistent);
      const twice = [
        ...Map.groupBy(persistent, ({prefix, nextHop}) => `${prefix} via ${nextHop ?? 'no gateway'}`),
      ].filter(([, routes]) => routes.length > 1);
      const [[first, routes] = ['', []]] = twice;
      if (twice.length === 0) return undefined;
      return fail(
        twice.length === 1
          ? `Persistent route ${first} exists ${routes.length} times: Windows sets it again at each boot, which slows down the boot.`
          : `${twice.length} persistent routes are duplicated: Windows sets them again at each boot, which slows down the boot.`,
      )
        .because(
          ...twice.map(([route, its]) => ({
            section: 'netRoutes',
            object: route,
            field: 'Store PersistentStore',
            seen: its.length,
            expected: 1,
          })),
        )
        .fixedBy(removeDuplicates(twice.map(([, its]) => its)));
    },
    explain: {
      meaning:
        'Windows stores persistent routes separately. The same route is stored more than once. A hundred duplicates have been seen to slow down the boot and to break the node network.',
      why: 'A start script adds the route with -p at each boot without checking whether it exists.',
      see: [
        'Get-NetRoute -PolicyStore PersistentStore | Group-Object DestinationPrefix, NextHop | Where-Object Count -gt 1',
      ],
      fix: [
        'Remove-NetRoute -PolicyStore PersistentStore -DestinationPrefix PREFIX -NextHop GATEWAY',
        'New-NetRoute -DestinationPrefix PREFIX -NextHop GATEWAY -InterfaceAlias ADAPTER (once)',
        'Change the start script to add the route only if it is missing.',
      ],
      sources: ['https://github.com/ovn-kubernetes/ovn-kubernetes/issues/360'],
    },
  }),

  check({
    id: 'net/metadata-route',
    title: 'Route to the cloud metadata service exists',
    failure: 'Route to the cloud metadata service is missing',
    severity: 'warning',
    repair: {level: 'medium', effect: 'none', restarts: 'nothing'},
    plugins: 'AWS, GCE, Azure',
    needs: ['netRoutes'],
    consequenceOf: ['net/node-ip-owner', 'net/default-route'],
    appliesTo: ({object}) => cloudOf(object) !== undefined,
    run({node, object}) {
      const there = node.netRoutes.some(
        ({prefix, persistent}) => !persistent && Number(prefix.split('/')[1]) > 16 && contains(prefix, metadataService),
      );
      if (there) return undefined;
      return fail(
        `The node has no route to ${metadataService}, the metadata service of ${cloudOf(object)}: components that request credentials or addresses from it fail.`,
      )
        .because({section: 'netRoutes', object: `${metadataService}/32`, seen: null, expected: 'a route to it'})
        .fixedBy(cleanupRemedy(node));
    },
    explain: {
      meaning: `Cloud instances get their identity and credentials from ${metadataService}. The route to it is missing, so kubelet, CSI drivers or the cloud agent can fail, and the node may stay NotReady.`,
      why: 'The route was on the NIC. It was not moved to the virtual adapter when the HNS network was created, or it was lost at a reboot.',
      see: [`Get-NetRoute -DestinationPrefix ${metadataService}/32`],
      fix: [
        `route add -p ${metadataService} mask 255.255.255.255 GATEWAY (AWS), or`,
        `New-NetRoute -DestinationPrefix ${metadataService}/32 -InterfaceAlias "vEthernet (Ethernet)" -NextHop 0.0.0.0`,
      ],
      sources: [
        'https://github.com/openshift/windows-machine-config-operator/blob/master/docs/TROUBLESHOOTING.md',
        'https://github.com/projectcalico/calico/blob/master/node/windows-packaging/CalicoWindows/node/node-service.ps1',
      ],
    },
  }),
];

/** Windows adds this to the metric of a route and uses the route with the smallest sum. Undefined: not read. */
function interfaceMetric({node}: NodeSubject, place: Pick<Route, 'adapter' | 'index'>): number | undefined {
  const found = node.netIPInterfaces?.find(
    ({family, adapter, index}) =>
      family === 'IPv4' && (place.index === undefined ? adapter === place.adapter : index === place.index),
  );
  return found?.metric;
}

function isOn(route: Route, {adapter, index}: Address): boolean {
  if (route.index !== undefined && index !== undefined) return route.index === index;
  return route.adapter?.toLowerCase() === adapter.toLowerCase();
}

/** The node's address and the default route are on different NICs: acceptable if the API server is reachable. */
function elsewhere({node, cluster}: NodeSubject, held: Address, routes: readonly Route[]) {
  const out = [...new Set(routes.map(({adapter}) => adapter ?? 'another adapter'))].join(', ');
  const evidence = {
    section: 'netRoutes',
    object: '0.0.0.0/0',
    field: 'InterfaceAlias',
    seen: out,
    expected: held.adapter,
  };
  const subnet = held.prefixLength === undefined ? undefined : `${held.ip}/${held.prefixLength}`;
  const servers = apiServers(cluster);
  const isNear = servers.length > 0 && servers.every(({ip}) => contains(subnet, ip));
  const answers = node.probes?.some(probe => probe.ok && isApiServer(probe, cluster)) ?? false;
  if (isNear || answers)
    return info(`The default route is on ${out}, not on ${held.adapter}, which has the node address.`).because(
      evidence,
    );
  return fail(
    `The default route is on ${out}, not on ${held.adapter}, which has the node address, and the API server is not in its subnet.`,
  )
    .because(evidence)
    .fixedBy(cleanupRemedy(node, {cuts: true}));
}

/** A default route on another adapter that Windows may use instead: it has the same metric, or leads to pods. */
function competing(subject: NodeSubject, held: Address, best: number, routes: readonly Route[]): Verdict | undefined {
  const others = routes.filter(route => !isOn(route, held));
  const toPods = others.filter(route => leadsToPods(subject, held, route));
  const equal = others.filter(route => {
    const [own, its] = [interfaceMetric(subject, held), interfaceMetric(subject, route)];
    const isKnown = own !== undefined && its !== undefined;
    return (route.metric ?? 0) + (isKnown ? its : 0) === best + (isKnown ? own : 0);
  });
  const [rival] = toPods.length > 0 ? toPods : equal;
  if (!rival) return undefined;
  const where = rival.adapter ?? 'another adapter';
  return fail(
    toPods.length > 0
      ? `A default route on ${where} leads into the pod network (${rival.nextHop}): outbound traffic of the node may use it instead of ${held.adapter}.`
      : `${held.adapter} and ${where} both have a default route with metric ${best}: Windows may use either.`,
  )
    .because({
      section: 'netRoutes',
      object: '0.0.0.0/0',
      field: 'InterfaceAlias',
      seen: routes.map(({adapter, nextHop, metric}) => `${adapter} via ${nextHop}, metric ${metric ?? 'unknown'}`),
      expected: `one preferred route, on ${held.adapter}`,
    })
    .as(toPods.length > 0 || interfaceMetric(subject, rival) !== undefined ? 'error' : 'warning')
    .fixedBy(
      manual(
        toPods.length > 0
          ? `Remove-NetRoute -DestinationPrefix 0.0.0.0/0 -InterfaceAlias ${powerShellText(where)} -NextHop ${powerShellText(rival.nextHop ?? '0.0.0.0')}`
          : `Set-NetIPInterface -InterfaceAlias ${powerShellText(where)} -AddressFamily IPv4 -InterfaceMetric 500`,
        'Change what sets the route at boot: the DHCP server of that network, or a start script.',
      ),
    );
}

/** Whether its gateway is in a subnet only for pods; with some plugins, pods have addresses of the node's subnet. */
function leadsToPods({node, plugin}: NodeSubject, {ip}: Address, {nextHop}: Route): boolean {
  const network = podNetwork(node, plugin.profile.network);
  const prefixes = [plugin.profile.podSubnet, ...(network?.subnets.map(({prefix}) => prefix) ?? [])];
  return prefixes.some(prefix => contains(prefix, nextHop) && !contains(prefix, ip));
}

function removeDuplicates(duplicates: readonly (readonly Route[])[]) {
  return manual(
    ...duplicates.flatMap(routes => {
      const {prefix = '', nextHop = '0.0.0.0'} = routes[0] ?? {};
      const route = `-DestinationPrefix ${powerShellText(prefix)} -NextHop ${powerShellText(nextHop)}`;
      const alias = routes.find(({adapter}) => adapter !== undefined)?.adapter ?? 'ADAPTER';
      return [
        `Remove-NetRoute -PolicyStore PersistentStore ${route} -Confirm:$false`,
        `New-NetRoute -PolicyStore PersistentStore ${route} -InterfaceAlias ${powerShellText(alias)}`,
        ...(prefix === '0.0.0.0/0' ? ['Use the console: between the two commands the node has no default route.'] : []),
      ];
    }),
  );
}

function cloudOf(object: NodeSubject['object']): string | undefined {
  const provider = object?.spec?.providerID ?? '';
  const labels = Object.keys(object?.metadata.labels ?? {});
  const has = (prefix: string) => labels.some(label => label.startsWith(prefix));
  if (/^aws:/.test(provider) || has('eks.amazonaws.com/')) return 'AWS';
  if (/^gce:/.test(provider) || has('cloud.google.com/gke')) return 'Google Cloud';
  if (/^azure:/.test(provider) || has('kubernetes.azure.com/')) return 'Azure';
  return undefined;
}
