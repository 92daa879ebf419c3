import type {NodeSubject} from '../../model/check.js';
import {isLinkLocal, networkPrefix} from '../../snapshot/addresses.js';
import {isHostProcess, type KubeNode, podCidr} from '../../snapshot/cluster.js';
import type {NodeModel} from '../../snapshot/node.js';
import type {SectionName} from '../../snapshot/section-names.js';
import type {OwnValues} from './own-values.js';

/** One value of one object of a node, to compare with another node. */
export interface Trait {
  readonly section: TraitSection;
  readonly object: string;
  readonly field: string;
  readonly value: string;
  /** What is compared, if not the value itself. */
  readonly meaning?: string | undefined;
  /** How relevant a difference is to a faulty network, from 1 (little) to 9 (much). */
  readonly weight: number;
}

export type TraitSection = SectionName | 'node';

/** Lists a section's traits. */
type Reader<Name extends SectionName> = (data: NonNullable<NodeModel[Name]>, context: Context) => Said[];

interface Context {
  readonly subject: NodeSubject;
  readonly own: OwnValues;
}

/** A trait as a tuple; `meaning` is what is compared, if not the value itself. */
type Said = readonly [object: string, field: string, value: unknown, weight: number, meaning?: string | undefined];

/** Names of objects that belong to pods and sandboxes, which differ on every node. */
const ofPods =
  /^(?:Loopback|isatap|Teredo|6to4)|container nic|[0-9a-f]{8}-[0-9a-f]{4}-|-[0-9a-f]{6}\)?$|[0-9a-f]{8}-eth\d|(?<![0-9a-z])[0-9a-f]{12,64}(?![0-9a-z])|^ovn-[0-9a-f]{6}-\d+$/i;

const isOfPod = (name: string) => name === '' || name === 'Ethernet' || ofPods.test(name);

const readers: {readonly [Name in SectionName]?: Reader<Name>} = {
  os: ({caption, build, revision, language}) => [
    ['Windows', 'version', caption, 5],
    ['Windows', 'build', revision === undefined ? build : `${build}.${revision}`, 5],
    ['Windows', 'language', language, 3],
  ],
  hnsNetworks: networks =>
    networks.flatMap(network => {
      const object = `HNS network ${network.name}`;
      return [
        [object, '', 'exists', 9],
        [object, 'Type', network.type.toLowerCase(), 8],
        [object, 'Subnets', network.subnets.map(({prefix}) => prefix), 7],
        [object, 'ManagementIP', network.managementIp ?? 'none', 8],
        [object, 'NetworkAdapterName', network.adapterName, 6],
        [object, 'VxlanPort', network.vxlanPort, 6],
        [object, 'VNI', network.subnets.map(({vsid}) => vsid).filter(vsid => vsid !== undefined), 6],
        [object, 'remote subnet routes', network.remoteRoutes.length, 7],
        [object, 'policies', [...new Set(network.policyTypes)].sort(), 4],
        ...network.extensions.map(({name, enabled}): Said => [object, `extension ${name}`, enabled ? 'on' : 'off', 8]),
      ] satisfies Said[];
    }),
  hnsEndpoints: endpoints =>
    endpoints
      // A pod's endpoint is named after its sandbox, a remote one "Ethernet", one of the host after its role (cbr0_ep, Calico_ep).
      .filter(({name, containers}) => containers.length === 0 && !isOfPod(name))
      .flatMap(({name, ip, state}): Said[] => [
        [`HNS endpoint ${name}`, '', 'exists', 7],
        [`HNS endpoint ${name}`, 'IPAddress', ip, 7],
        [`HNS endpoint ${name}`, 'State', state, 6],
      ]),
  hnsPolicyLists: balancers =>
    balancers.flatMap(({vips, ports, state, endpointIds}) =>
      vips.flatMap(vip =>
        ports.flatMap(({protocol, external}): Said[] => {
          const object = `load balancer ${vip}:${external ?? '?'}/${protocol}`;
          return [
            [object, '', 'exists', 5],
            [object, 'State', state, 5],
            [object, 'endpoints', endpointIds.length, 3],
          ];
        }),
      ),
    ),
  hnsService: ({respondedMs}) => [['HNS', 'answers', respondedMs === undefined ? undefined : 'yes', 9]],
  netAdapters: adapters =>
    adapters
      .filter(({name, hidden}) => hidden !== true && !ofPods.test(name))
      .flatMap(({name, status, mtu, description, virtual}): Said[] => {
        const object = `adapter ${name}`;
        return [
          [object, '', 'exists', virtual ? 7 : 6],
          [object, 'Status', status, 8],
          [object, 'MtuSize', mtu, 6],
          [object, 'InterfaceDescription', description?.replace(/ #\d+$/, ''), 2],
        ];
      }),
  netIPAddresses: (addresses, {own}) =>
    addresses
      .filter(({adapter, family, ip}) => family === 'IPv4' && !ofPods.test(adapter) && !ip.startsWith('127.'))
      .flatMap(({adapter, ip, prefixLength, origin, state}): Said[] => {
        const isOwn = own(ip) !== ip;
        const address = `${ip}/${prefixLength ?? '?'}`;
        return [
          // Each node has a different address, so compare the network it is in.
          [
            `adapter ${adapter}`,
            'address',
            address,
            isOwn || isLinkLocal(ip) ? 9 : 6,
            isOwn ? address : networkPrefix(address),
          ],
          [`adapter ${adapter}`, 'PrefixOrigin', origin, 3],
          [`adapter ${adapter}`, 'AddressState', state, 6],
        ];
      }),
  netIPInterfaces: interfaces =>
    interfaces
      .filter(({adapter, family}) => family === 'IPv4' && !ofPods.test(adapter) && !/^Loopback/i.test(adapter))
      .flatMap(({adapter, mtu, forwarding, dhcp, metric, automaticMetric}): Said[] => {
        const object = `adapter ${adapter}`;
        return [
          [object, 'NlMtu', mtu, 6],
          [object, 'Forwarding', forwarding, 6],
          [object, 'Dhcp', dhcp, 4],
          [object, 'InterfaceMetric', automaticMetric ? 'automatic' : metric, 3],
        ];
      }),
  netRoutes: (routes, {subject}) => {
    const pods = new Set((subject.cluster?.known('Node') ?? []).map(node => podCidr(node)));
    const toPeers = routes.filter(({prefix, persistent}) => !persistent && pods.has(prefix));
    return [
      ['routes', "to other nodes' pods", toPeers.length, 7],
      ...routes
        .filter(({prefix, adapter}) => !pods.has(prefix) && isTelling(prefix) && !ofPods.test(adapter ?? ''))
        .flatMap(({prefix, nextHop, persistent}): Said[] => {
          const object = `${persistent ? 'persistent ' : ''}route ${prefix}`;
          return [[object, 'NextHop', nextHop, prefix === '0.0.0.0/0' ? 8 : 5]];
        }),
    ];
  },
  dnsServers: rows =>
    rows
      .filter(({adapter, family}) => family === 'IPv4' && !ofPods.test(adapter) && !/^Loopback/i.test(adapter))
      .map(({adapter, servers}): Said => [`adapter ${adapter}`, 'DNS servers', servers, 4]),
  netNats: nats => nats.map(({name, prefix}): Said => [`NAT ${name}`, 'prefix', prefix, 6]),
  adapterBindings: bindings =>
    bindings
      .filter(({adapter}) => !ofPods.test(adapter))
      .map(
        ({adapter, component, enabled}): Said => [
          `adapter ${adapter}`,
          `binding ${component}`,
          enabled ? 'on' : 'off',
          component === 'vms_pp' ? 7 : 4,
        ],
      ),
  vmSwitches: switches =>
    switches.flatMap(({name, type, managed, softwareRsc}): Said[] => [
      [`switch ${name}`, '', 'exists', 8],
      [`switch ${name}`, 'SwitchType', type, 7],
      [`switch ${name}`, 'AllowManagementOS', managed, 7],
      [`switch ${name}`, 'SoftwareRscEnabled', softwareRsc, 4],
    ]),
  vmSwitchExtensions: extensions =>
    extensions.flatMap(({switchName, name, id, enabled, running}): Said[] => {
      const object = `switch ${switchName ?? ''} extension ${name ?? id}`;
      return [
        [object, 'Enabled', enabled, 8],
        [object, 'Running', running, 8],
      ];
    }),
  ovs: ({version, bridges, externalIds}) => [
    ['Open vSwitch', 'version', version, 5],
    ...Object.entries(externalIds)
      .filter(([key]) => key !== 'system-id' && key !== 'hostname' && key !== 'rundir')
      .map(([key, value]): Said => ['Open vSwitch', `external_ids:${key}`, value, 6]),
    ...bridges.flatMap(({name, ports}) => bridgeTraits(name, ports)),
  ],
  services: services =>
    services.flatMap(({name, state, startMode, path, user, arguments: words}): Said[] => {
      const object = `service ${name}`;
      return [
        [object, '', 'exists', 6],
        [object, 'State', state, 8],
        [object, 'StartMode', startMode, 5],
        [object, 'PathName', path, 4],
        [object, 'StartName', user, 3],
        [object, 'AppParameters', words, 4],
      ];
    }),
  processes: processes =>
    [...new Set(processes.map(({name}) => name))].map((name): Said => [`process ${name}`, '', 'runs', 6]),
  firewall: ({profiles, rules}) => [
    ...profiles.map(({name, enabled}): Said => [`firewall profile ${name}`, 'Enabled', enabled, 5]),
    ...rules
      .filter(({direction}) => direction !== 'Outbound')
      .map(
        ({name, displayName, enabled, action, protocol, localPort}): Said => [
          `firewall rule ${displayName ?? name}`,
          '',
          enabled ? `${action} ${protocol} ${localPort}` : 'disabled',
          5,
        ],
      ),
  ],
  windowsFeatures: features => features.map(({name, state}): Said => [`feature ${name}`, 'InstallState', state, 6]),
  hotfixes: hotfixes => hotfixes.map(({id}): Said => [`hotfix ${id}`, '', 'installed', 4]),
  bootOptions: ({testSigning, noIntegrityChecks}) => [
    ['boot options', 'TestSigning', testSigning, 6],
    ['boot options', 'NoIntegrityChecks', noIntegrityChecks, 5],
  ],
  drivers: ({ovsext}) => [
    ['driver ovsext', 'Installed', ovsext.installed, 8],
    ['driver ovsext', 'number of packages', ovsext.inf.length, 6],
    ['driver ovsext', 'Signed', ovsext.signed, 5],
  ],
  containerd: ({confDir, binDirs}) => [
    ['containerd', 'conf_dir', confDir, 6],
    ['containerd', 'bin_dir', binDirs, 5],
  ],
  files: files =>
    files
      // Leases are named after pod addresses, plans after ids.
      .filter(({path}) => !/\\networks\\|\\plans\\/i.test(path))
      .flatMap(({path, exists, content}): Said[] => [
        [`file ${path}`, '', exists ? 'exists' : undefined, 5],
        // Pid files differ on each node, and so do the state files of Azure CNI and CNS, which list pods.
        ...(content === undefined || ofOneNode.test(path) ? [] : lineTraits(`file ${path}`, content)),
      ]),
  registry: values =>
    values
      .filter(({name}) => !/time|guid/i.test(name))
      .map(({path, name, value}): Said => [`registry ${path}`, name, value, 5]),
  scheduledTasks: tasks =>
    tasks.flatMap(({name, state, lastResult}): Said[] => [
      [`task ${name}`, 'State', state, 4],
      [`task ${name}`, 'LastTaskResult', lastResult, 4],
    ]),
  dynamicPorts: ranges =>
    ranges.map(({protocol, start, end}): Said => [`dynamic ports ${protocol}`, '', `${start}-${end}`, 4]),
  probes: probes =>
    probes.map(({target, kind, ok}): Said => [`${kind} ${target}`, '', ok ? 'answers' : 'no answer', 8]),
};

const ofOneNode = /\.pid$|\\azure-[^\\]*\.json$/i;

type Ports = NonNullable<NodeModel['ovs']>['bridges'][number]['ports'];

function bridgeTraits(name: string, ports: Ports): Said[] {
  const object = `OVS bridge ${name}`;
  const own = ports.filter(port => !ofPods.test(port.name));
  const errors = ports.flatMap(({interfaces}) => interfaces.flatMap(({error}) => (error === undefined ? [] : [error])));
  return [
    [object, '', 'exists', 9],
    [object, 'ports in error', errors.length === 0 ? 'none' : 'some', 8],
    ...own.flatMap(({name: port, interfaces}): Said[] => [
      [`${object} port ${port}`, '', 'exists', 6],
      ...interfaces.flatMap(({type, options}): Said[] => [
        [`${object} port ${port}`, 'type', type, 5],
        ...Object.entries(options).map(([key, value]): Said => [`${object} port ${port}`, `options:${key}`, value, 5]),
      ]),
    ]),
  ];
}

/** One trait per non-blank line, so that only the differing lines of a file are reported. */
function lineTraits(object: string, content: string): Said[] {
  const lines = content.split(/\r?\n/).map(line => line.trim());
  return lines.filter(line => line !== '').map((line): Said => [object, line, 'present', 4]);
}

/** Broadcast, multicast, loopback and on-link routes follow from the addresses, which are compared already. */
function isTelling(prefix: string): boolean {
  return (
    !prefix.includes(':') &&
    !/\/32$/.test(prefix.replace('169.254.169.254/32', '')) &&
    !/^(?:127|224|255)\./.test(prefix)
  );
}

/** Traits of the Node object. Annotations of plugins contain their settings. */
function nodeTraits(object: KubeNode, {subject}: Context): Said[] {
  const {metadata, spec, status} = object;
  const info = status?.nodeInfo;
  const ready = status?.conditions.find(({type}) => type === 'Ready');
  return [
    ['node', 'Ready', ready?.status, 8],
    ['node', 'unschedulable', spec?.unschedulable ?? false, 3],
    ['node', 'kubelet', info?.kubeletVersion, 5],
    ['node', 'container runtime', info?.containerRuntimeVersion, 5],
    ['node', 'taints', spec?.taints.map(({key, effect}) => `${key}:${effect}`).sort(), 3],
    [
      'node',
      'network plugin',
      [subject.plugin.name, subject.plugin.version, subject.plugin.variant].filter(Boolean).join(' '),
      7,
    ],
    ...Object.entries(metadata.annotations)
      // A snapshot keeps only the annotations of plugins and our own.
      .filter(([key]) => !key.startsWith('kubectl-win'))
      .map(([key, value]): Said => [`annotation ${key}`, '', value, 6, meaningOf(value, subject)]),
    ...agentTraits(subject),
  ];
}

/** Plugins often write the node's own address or name into an annotation (`node-win-1`), which differs on each node. */
function meaningOf(value: string, {node}: NodeSubject): string | undefined {
  if (node.netIPAddresses?.some(({ip}) => ip === value)) return '<node address>';
  return value.endsWith(`-${node.name}`) ? value.replace(node.name, '<node>') : undefined;
}

/** Pods of the plugin and of kube-proxy on the node, by their DaemonSet. */
function agentTraits({cluster, node}: NodeSubject): Said[] {
  const pods = (cluster?.known('Pod') ?? []).filter(pod => pod.spec.nodeName === node.name && isHostProcess(pod.spec));
  return pods.flatMap(({metadata, status}): Said[] => {
    const owner = metadata.ownerReferences.find(({kind}) => kind === 'DaemonSet')?.name;
    const ready = status?.conditions.find(({type}) => type === 'Ready')?.status;
    return owner === undefined ? [] : [[`pod of DaemonSet ${owner}`, 'Ready', ready, 8]];
  });
}

export function traitsOf(subject: NodeSubject, own: OwnValues): Trait[] {
  const context = {subject, own};
  const read = Object.entries(readers).flatMap(([section, reader]) => {
    const data = subject.node[section as SectionName];
    if (data === undefined) return [];
    return (reader as (data: unknown, context: Context) => Said[])(data, context).map(
      said => [section as TraitSection, said] as const,
    );
  });
  const ofNode = subject.object ? nodeTraits(subject.object, context).map(said => ['node', said] as const) : [];
  return [...ofNode, ...read].map(([section, [object, field, value, weight, meaning]]) => ({
    ...{section, object, field, weight, meaning},
    value: traitText(value),
  }));
}

/** The sections that are compared. */
export const comparedSections = Object.keys(readers) as SectionName[];

function traitText(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(String).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
