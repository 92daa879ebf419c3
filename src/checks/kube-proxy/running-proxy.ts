import type {NodeSubject} from '../../model/check.js';
import {type Evidence, skipped} from '../../model/verdict.js';
import type {Pod} from '../../snapshot/cluster.js';
import {nameOf} from '../../snapshot/paths.js';
import type {Process, Service} from '../../snapshot/sections.js';

/** kube-proxy on a node: a process, started by a service or a pod. */
export interface KubeProxy {
  readonly process: Process | undefined;
  readonly service: Service | undefined;
  readonly pod: Pod | undefined;
}

export function kubeProxyOf({node, cluster}: NodeSubject): KubeProxy {
  return {
    process: node.processes?.find(({name}) => name === 'kube-proxy'),
    service: node.services?.find(({name}) => /^kube-?proxy$/i.test(name)),
    pod: cluster
      ?.podsOn(node.name)
      .find(({metadata, status}) => /^kube-proxy/.test(metadata.name) && status?.phase === 'Running'),
  };
}

/** K3s embeds kube-proxy: there is no separate process, service or pod. */
export function hasProxyInside({node}: NodeSubject): boolean {
  return node.services?.some(({name, state}) => /^k3s/i.test(name) && state === 'Running') ?? false;
}

/**
 * Whether kube-proxy certainly has no process: a service or pod that has not started it has no settings yet. If
 * services were not read, K3s may be running it.
 */
export function hasNoProcess(subject: NodeSubject): boolean {
  const {processes, services} = subject.node;
  if (processes === undefined || services === undefined) return false;
  return !kubeProxyOf(subject).process && !hasProxyInside(subject);
}

/** Whether kube-proxy is known to run. */
export function proxyRuns(subject: NodeSubject): boolean {
  const {process, service, pod} = kubeProxyOf(subject);
  return process !== undefined || pod !== undefined || service?.state === 'Running' || hasProxyInside(subject);
}

export const notStarted = skipped('kube-proxy has no process.');

export type SettingName = 'networkName' | 'sourceVip' | 'hostnameOverride';

const flags: Record<SettingName, string> = {
  networkName: 'network-name',
  sourceVip: 'source-vip',
  hostnameOverride: 'hostname-override',
};

/** A setting of kube-proxy, and where it was found. */
export interface ProxySetting {
  readonly value: string;
  readonly evidence: Evidence;
}

/** The effective setting: a flag takes precedence over the configuration file, and that over the environment. */
export function proxySetting(subject: NodeSubject, name: SettingName): ProxySetting | undefined {
  return fromFlags(subject, name) ?? fromFile(subject, name) ?? fromEnvironment(subject, name);
}

/** Whether the command line of kube-proxy was read: then a missing flag is not set. */
export function flagsAreKnown(subject: NodeSubject): boolean {
  const {process, service} = kubeProxyOf(subject);
  return process?.commandLine !== undefined || service?.arguments !== undefined;
}

function fromFlags(subject: NodeSubject, name: SettingName): ProxySetting | undefined {
  const {process, service, pod} = kubeProxyOf(subject);
  const lines = [
    {text: process?.commandLine, section: 'processes', object: 'kube-proxy', field: 'CommandLine'},
    {text: service?.arguments, section: 'services', object: service?.name ?? '', field: 'AppParameters'},
    {text: service?.path, section: 'services', object: service?.name ?? '', field: 'PathName'},
    {text: podCommand(subject, pod), section: 'cluster', object: `Pod ${pod?.metadata.name}`, field: 'args'},
  ];
  for (const {text, ...where} of lines) {
    const value = flagValue(text, flags[name]);
    if (value !== undefined) return {value, evidence: {...where, seen: value}};
  }
  return undefined;
}

function flagValue(line: string | undefined, flag: string): string | undefined {
  const match = new RegExp(`(?:^|[\\s"])--${flag}(?:=|\\s+)(?:"([^"]{0,2000})"|'([^']{0,2000})'|([^\\s"']+))`).exec(
    line ?? '',
  );
  const value = match?.[1] ?? match?.[2] ?? match?.[3];
  // A value with unexpanded variables is unknown.
  return value === undefined || value === '' || /[$%(]/.test(value) ? undefined : value;
}

/** A container's command, with $(VARIABLE) references expanded as Kubernetes does. */
function podCommand(subject: NodeSubject, pod: Pod | undefined): string | undefined {
  return pod?.spec.containers
    .map(({command, args, env}) =>
      [...command, ...args].join(' ').replace(/\$\((\w+)\)/g, (whole, variable: string) => {
        const entry = env.find(({name}) => name === variable);
        return (entry && variableValue(subject, entry)) ?? whole;
      }),
    )
    .join('\n');
}

function fromFile({node}: NodeSubject, name: SettingName): ProxySetting | undefined {
  for (const {path, exists, content} of node.files ?? []) {
    if (!exists || !/^kube-?proxy.*\.(conf|ya?ml)$/.test(nameOf(path))) continue;
    const value = new RegExp(`^[ \\t]*${name}:[ \\t]*["']?([^"'\\s#]+)`, 'm').exec(content ?? '')?.[1];
    if (value !== undefined) return {value, evidence: {section: 'files', object: path, field: name, seen: value}};
  }
  return undefined;
}

/** Variables that the start scripts in kube-proxy images convert to flags. */
const variables: Partial<Record<SettingName, string>> = {networkName: 'KUBE_NETWORK', hostnameOverride: 'NODE_NAME'};

function fromEnvironment(subject: NodeSubject, name: SettingName): ProxySetting | undefined {
  const {pod} = kubeProxyOf(subject);
  const field = variables[name];
  const entry = pod?.spec.containers.flatMap(({env}) => env).find(its => its.name === field);
  const value = entry && variableValue(subject, entry);
  if (!value) return undefined;
  return {value, evidence: {section: 'cluster', object: `Pod ${pod?.metadata.name}`, field: field ?? '', seen: value}};
}

type Variable = Pod['spec']['containers'][number]['env'][number];

function variableValue({node}: NodeSubject, entry: Variable): string | undefined {
  return entry.value ?? (entry.valueFrom?.fieldRef?.fieldPath === 'spec.nodeName' ? node.name : undefined);
}
