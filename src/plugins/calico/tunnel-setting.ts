import {apiPath} from '../../lib/api-path.js';
import {property, textProperty} from '../../lib/json-properties.js';
import type {DetectionInput} from '../../model/plugin.js';
import {
  type ObjectChange,
  objectTitle,
  patchCommand,
  rollsOut,
  type Translation,
  type TunnelSetting,
  type TunnelValue,
  type WantedUplink,
} from '../../model/tunnel-setting.js';
import type {CustomResource, Workload} from '../../snapshot/cluster.js';
import {windowsDaemonSets} from '../../snapshot/daemon-sets.js';
import {calicoFootprint} from './footprint.js';
import {installation, specOf} from './resources.js';

const kept =
  'The existing network External stays on its adapter until Calico recreates it after the next boot of a node.';

/** VXLAN_ADAPTER is the adapter for the network External; the address is found by autodetection. */
export const calicoTunnelSetting: TunnelSetting = {
  by: 'settings',
  objects: [{group: 'apps', resource: 'daemonsets', name: 'calico-node-windows'}],
  translate,
};

function translate(input: DetectionInput, wanted: WantedUplink): Translation {
  const operator = installation(input.cluster);
  if (operator) return byOperator(operator, wanted);
  const [set] = windowsDaemonSets(input.cluster, /calico-node|calico-windows/i, calicoFootprint.namespaces.usual);
  return set ? byManifest(set, wanted) : byService(wanted);
}

/** With the operator, both are in the Installation (operator.tigera.io/v1, windowsNodes.vxlanAdapter). */
function byOperator(operator: CustomResource, wanted: WantedUplink): Translation {
  const spec = specOf(operator);
  const detection = property(property(spec, 'calicoNetwork'), 'nodeAddressAutodetectionV4');
  const where = objectTitle(operator);
  const settings: TunnelValue[] = [
    {name: 'spec.windowsNodes.vxlanAdapter', where, now: textProperty(property(spec, 'windowsNodes'), 'vxlanAdapter')},
    {
      name: 'spec.calicoNetwork.nodeAddressAutodetectionV4',
      where,
      now: detection === undefined ? undefined : JSON.stringify(detection),
    },
  ];
  const base = {title: 'Calico', settings, reach: 'all Windows nodes; autodetection also applies to Linux nodes'};
  if (!wanted) return {...base, notes: []};
  // Only one autodetection method may be set.
  const methods = Object.fromEntries(Object.keys(detection ?? {}).map(key => [key, null]));
  const patch =
    wanted.by === 'name'
      ? {spec: {windowsNodes: {vxlanAdapter: wanted.adapter}}}
      : {spec: {calicoNetwork: {nodeAddressAutodetectionV4: {...methods, cidrs: [wanted.cidr]}}}};
  const change: ObjectChange = {
    object: where,
    path: apiPath`/apis/operator.tigera.io/v1/installations/${operator.metadata.name}`,
    type: 'merge',
    patch,
    resourceVersion: operator.metadata.resourceVersion,
    command: patchCommand(operator, 'merge', patch),
    before: settings.map(({name, now}) => `${name}: ${now ?? 'not set'}`).join('\n'),
    after: JSON.stringify(patch.spec),
  };
  return {...base, change, notes: [kept], unsafe: 'the operator restarts calico-node on all nodes'};
}

function byManifest(set: Workload, wanted: WantedUplink): Translation {
  const {containers} = set.spec.template.spec;
  const now = (name: string) =>
    containers.flatMap(({env}) => env).find(variable => variable.name === name && variable.value)?.value;
  const where = `${objectTitle(set)}, environment`;
  const settings: TunnelValue[] = ['VXLAN_ADAPTER', 'IP_AUTODETECTION_METHOD'].map(name => ({
    name,
    where,
    now: now(name),
  }));
  const base = {title: 'Calico', settings, reach: 'all Windows nodes'};
  if (!wanted) return {...base, notes: []};
  const variable = variableOf(wanted);
  const patch = {spec: {template: {spec: {containers: containers.map(({name}) => ({name, env: [variable]}))}}}};
  const {namespace = 'kube-system', name} = set.metadata;
  const change: ObjectChange = {
    object: objectTitle(set),
    path: apiPath`/apis/apps/v1/namespaces/${namespace}/daemonsets/${name}`,
    type: 'strategic',
    patch,
    resourceVersion: set.metadata.resourceVersion,
    command: patchCommand(set, 'strategic', patch),
    before: `${variable.name}=${now(variable.name) ?? ''}`,
    after: `${variable.name}=${variable.value}`,
  };
  const unsafe = rollsOut(set.spec.updateStrategy?.type);
  return {...base, change, notes: [kept], ...(unsafe !== undefined && {unsafe})};
}

function byService(wanted: WantedUplink): Translation {
  const where = 'C:\\CalicoWindows\\config.ps1 on the node';
  const settings: TunnelValue[] = ['VXLAN_ADAPTER', 'IP_AUTODETECTION_METHOD'].map(name => ({
    name,
    where,
    now: undefined,
  }));
  const base = {title: 'Calico', settings, reach: 'this node'};
  if (!wanted) return {...base, notes: []};
  const {name, value} = variableOf(wanted);
  const notes = [`Set in ${where}: $env:${name} = "${value}"`, 'Then, on the node: Restart-Service CalicoNode', kept];
  return {...base, notes, unsafe: 'the file is on the node'};
}

function variableOf(wanted: NonNullable<WantedUplink>): {name: string; value: string} {
  return wanted.by === 'name'
    ? {name: 'VXLAN_ADAPTER', value: wanted.adapter}
    : {name: 'IP_AUTODETECTION_METHOD', value: `cidr=${wanted.cidr}`};
}
