import {listProperty, parseJson, property, textProperty} from '../../../lib/json-properties.js';
import {powerShellText} from '../../../lib/quote.js';
import type {ClusterModel} from '../../../snapshot/cluster.js';
import {type CniConf, cniConfs, confType, fileAt} from '../../../snapshot/cni-conf.js';
import type {NodeModel} from '../../../snapshot/node.js';
import {runtimeFolders} from '../../../snapshot/paths.js';
import {bridgeConfTypes} from '../bridge-conf-types.js';

// The CNI configuration of win-bridge and wincni is written manually; its expected content follows from cluster and
// node.

export type Json = Record<string, unknown>;

export interface BridgeConf {
  readonly conf: CniConf;
  /** The part of this plugin: the whole file, or the first plugin of a chain. */
  readonly json: Json;
  readonly chain: Json | undefined;
}

/** The plugin's configuration among those that the runtime finds. */
export function ownConf(node: NodeModel, name: 'win-bridge' | 'wincni'): BridgeConf | undefined {
  const conf = cniConfs(node).find(candidate => bridgeConfTypes[name].test(confType(candidate) ?? ''));
  if (!conf) return undefined;
  const whole = asObject(parseJson(fileAt(node, conf.path)?.content));
  const [first] = listProperty(whole, 'plugins');
  return {conf, json: first === undefined ? whole : asObject(first), chain: first === undefined ? undefined : whole};
}

/** The command that writes the changed configuration. */
export function rewrite({conf, json, chain}: BridgeConf, change: (json: Json) => Json): string {
  const changed = change(json);
  const whole = chain ? {...chain, plugins: [changed, ...listProperty(chain, 'plugins').slice(1)]} : changed;
  return writeConf(conf.path, JSON.stringify(whole));
}

export function writeConf(path: string, json: string): string {
  return `Set-Content -LiteralPath ${powerShellText(path)} -Encoding ascii -Value ${powerShellText(json)}`;
}

/** A copy with a key set; replaces the key in any case. */
export function withKey(json: Json, key: string, value: unknown): Json {
  const entries = Object.entries(json).map(([name, old]) =>
    name.toLowerCase() === key.toLowerCase() ? [key, value] : [name, old],
  );
  return {...Object.fromEntries(entries), [key]: value};
}

export function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** Subnets that addresses are allocated from; host-local also supports lists of ranges. */
export function confSubnets(json: unknown): string[] {
  const ipam = property(json, 'ipam');
  const ranges = listProperty(ipam, 'ranges').flatMap(range => (Array.isArray(range) ? range : []));
  return [ipam, ...ranges].flatMap(entry => textProperty(entry, 'subnet') ?? []);
}

export function confGateways(json: unknown): string[] {
  const ipam = property(json, 'ipam');
  return listProperty(ipam, 'routes').flatMap(route => textProperty(route, 'GW') ?? []);
}

export function dnsServiceAddress(cluster: ClusterModel | undefined): string | undefined {
  return cluster
    ?.all('Service')
    .find(({metadata}) => metadata.namespace === 'kube-system' && /^(kube-dns|coredns)$/.test(metadata.name))?.spec
    .clusterIP;
}

export function confFolder(node: NodeModel, name: 'win-bridge' | 'wincni'): string {
  return runtimeFolders(node).conf ?? (name === 'wincni' ? 'C:\\k\\cni\\config' : 'C:\\etc\\cni\\net.d');
}
