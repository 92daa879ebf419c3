import {listProperty, parseJson, property, textProperty} from '../lib/json-properties.js';
import type {NodeModel} from './node.js';
import {folderOf, nameOf, normalPath, runtimeFolders} from './paths.js';

/** One plugin of a CNI configuration, which determines how pod endpoints are created. */
export interface CniPlugin {
  readonly type: string;
  /** The plugin that `type` delegates to: `win-overlay` for `flannel`. */
  readonly delegate: string | undefined;
  readonly ipam: string | undefined;
  /** Exceptions of each OutBoundNAT policy. */
  readonly outboundNat: readonly (readonly string[])[];
  readonly routes: readonly {readonly prefix: string; readonly needEncap: boolean}[];
  readonly providerAddress: string | undefined;
  /** Calico's: the VNI of the network. */
  readonly vni: number | undefined;
}

/** A CNI configuration file on a node. */
export interface CniConf {
  readonly path: string;
  /** The network name; win-bridge and win-overlay use the HNS network of this name. */
  readonly name: string | undefined;
  /** Empty if the file is not a CNI configuration. */
  readonly plugins: readonly CniPlugin[];
  /** Whether it is valid JSON; undefined: its content was not read. */
  readonly readable: boolean | undefined;
}

/** Default folders of CNI configurations. The helper reads them in addition to the runtime's configured folder. */
export const usualFolders = [
  'c:\\etc\\cni\\net.d',
  'c:\\k\\cni\\config',
  'c:\\k\\azurecni\\netconf',
  'c:\\program files\\containerd\\cni\\conf',
  'c:\\var\\lib\\rancher\\rke2\\agent\\etc\\cni',
  'c:\\var\\lib\\rancher\\rke2\\agent\\etc\\cni\\net.d',
];

/** The CNI configurations that the runtime finds, sorted by file name: the runtime uses the first one. */
export function cniConfs(node: NodeModel): readonly CniConf[] {
  const known = confsOf.get(node);
  if (known) return known;
  const read = readConfs(node);
  confsOf.set(node, read);
  return read;
}

/** Every plugin and several checks ask for them. */
const confsOf = new WeakMap<NodeModel, readonly CniConf[]>();

function readConfs(node: NodeModel): CniConf[] {
  const conf = runtimeFolders(node).conf;
  const folders = conf === undefined ? usualFolders : [conf];
  return (node.files ?? [])
    .filter(({path, exists}) => exists && /\.(conf|conflist|json)$/i.test(path) && folders.includes(folderOf(path)))
    .sort((one, other) => (nameOf(one.path) < nameOf(other.path) ? -1 : 1))
    .map(({path, content}) => readConf(path, content));
}

/** The configuration that the runtime uses. */
export function activeConf(node: NodeModel): CniConf | undefined {
  return cniConfs(node)[0];
}

/** The type of the first plugin, which identifies the configuration. */
export function confType(conf: CniConf | undefined): string | undefined {
  return conf?.plugins[0]?.type.toLowerCase();
}

function readConf(path: string, content: string | undefined): CniConf {
  const json = parseJson(content);
  const chain = property(json, 'plugins');
  const plugins = (Array.isArray(chain) ? chain : [json]).filter(plugin => textProperty(plugin, 'type') !== undefined);
  return {
    path,
    name: textProperty(json, 'name'),
    plugins: plugins.map(readPlugin),
    readable: content === undefined ? undefined : json !== undefined,
  };
}

function readPlugin(plugin: unknown): CniPlugin {
  const delegate = property(plugin, 'delegate');
  // Azure's and Microsoft's own plugins call the list AdditionalArgs.
  const policies = [plugin, delegate]
    .flatMap(owner => [...listProperty(owner, 'policies'), ...listProperty(owner, 'AdditionalArgs')])
    .map(policy => property(policy, 'Value') ?? policy);
  const ofType = (...types: string[]) =>
    policies
      .filter(policy => types.includes(textProperty(policy, 'Type')?.toLowerCase() ?? ''))
      .map(policy => property(policy, 'Settings') ?? policy);
  return {
    type: textProperty(plugin, 'type') ?? '',
    delegate: textProperty(delegate, 'type'),
    ipam: textProperty(property(plugin, 'ipam'), 'type') ?? textProperty(property(delegate, 'ipam'), 'type'),
    outboundNat: ofType('outboundnat')
      .filter(settings => property(settings, 'Destinations') === undefined)
      .map(settings => texts([...listProperty(settings, 'ExceptionList'), ...listProperty(settings, 'Exceptions')])),
    routes: ofType('route', 'sdnroute').map(settings => ({
      prefix: textProperty(settings, 'DestinationPrefix') ?? '',
      needEncap: property(settings, 'NeedEncap') === true,
    })),
    providerAddress: ofType('provideraddress', 'pa')
      .map(settings => textProperty(settings, 'ProviderAddress') ?? textProperty(settings, 'PA'))
      .find(address => address !== undefined),
    vni: typeof property(plugin, 'vxlan_vni') === 'number' ? (property(plugin, 'vxlan_vni') as number) : undefined,
  };
}

function texts(values: readonly unknown[]): string[] {
  return values.filter(value => typeof value === 'string');
}

/** A file of the node by its path, in any notation. */
export function fileAt(node: NodeModel, ...paths: string[]) {
  const wanted = paths.map(normalPath);
  return node.files?.find(({path, exists}) => exists && wanted.includes(normalPath(path)));
}

/** A file of the node by its file name. */
export function fileNamed(node: NodeModel, name: string) {
  return node.files?.find(({path, exists}) => exists && nameOf(path) === name.toLowerCase());
}
