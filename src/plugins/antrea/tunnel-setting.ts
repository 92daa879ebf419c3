import {apiPath} from '../../lib/api-path.js';
import {shellText} from '../../lib/quote.js';
import type {DetectionInput} from '../../model/plugin.js';
import {
  objectTitle,
  patchCommand,
  type Translation,
  type TunnelSetting,
  type TunnelValue,
  type WantedUplink,
} from '../../model/tunnel-setting.js';
import {agentConf, ofAntrea, setting} from './settings.js';

const file = 'antrea-agent.conf';
const configMapName = 'antrea-windows-config';

/**
 * Antrea prefers transportInterface to transportInterfaceCIDRs, and both to the node's address (antrea
 * pkg/agent/agent.go).
 */
export const antreaTunnelSetting: TunnelSetting = {
  by: 'settings',
  objects: [{group: '', resource: 'configmaps', name: configMapName}],
  translate,
};

function translate(input: DetectionInput, wanted: WantedUplink): Translation {
  const conf = agentConf(input);
  const configMap = ofAntrea(input.cluster?.all('ConfigMap'), configMapName);
  const where = configMap ? `${objectTitle(configMap)}, ${file}` : `C:\\k\\antrea\\etc\\${file} on the node`;
  const settings: TunnelValue[] = ['transportInterface', 'transportInterfaceCIDRs'].map(name => ({
    ...{name, where},
    now: presentValue(conf, name),
  }));
  const base = {title: 'Antrea', settings};
  const text = configMap?.data[file];
  if (!configMap || text === undefined) {
    const notes = wanted
      ? [`Set in ${where}: ${lineOf(wanted)}`, 'Then, on the node: Restart-Service antrea-agent']
      : [];
    return {...base, reach: 'this node', notes, unsafe: 'the file is on the node'};
  }
  const {namespace = 'kube-system', name} = configMap.metadata;
  const restart = `Agents read it when they start: kubectl -n ${shellText(namespace)} rollout restart daemonset antrea-agent-windows`;
  const reach = 'all Windows nodes';
  if (!wanted) return {...base, reach, notes: []};
  const after = withWanted(text, wanted);
  const patch = {data: {[file]: after}};
  return {
    ...base,
    reach,
    notes: [restart],
    change: {
      object: objectTitle(configMap),
      path: apiPath`/api/v1/namespaces/${namespace}/configmaps/${name}`,
      type: 'merge',
      patch,
      resourceVersion: configMap.metadata.resourceVersion,
      command: patchCommand(configMap, 'merge', patch),
      before: text,
      after,
    },
  };
}

/** An inline value, or a list on the following lines. */
function presentValue(conf: string | undefined, key: string): string | undefined {
  const inline = setting(conf, key);
  if (inline !== undefined) return inline === '[]' || inline === '""' ? undefined : inline;
  const below = new RegExp(`^${key}:[ \\t]*\\r?\\n((?:[ \\t]*-.*(?:\\r?\\n|$))+)`, 'm').exec(conf ?? '')?.[1];
  return below?.match(/[^\s-][^\r\n]*/g)?.join(', ');
}

function lineOf(wanted: NonNullable<WantedUplink>): string {
  return wanted.by === 'name'
    ? `transportInterface: ${JSON.stringify(wanted.adapter)}`
    : `transportInterfaceCIDRs: [${JSON.stringify(wanted.cidr)}]`;
}

/** Replaces the setting if it is set or commented out; appends it otherwise. */
function withWanted(conf: string, wanted: NonNullable<WantedUplink>): string {
  // transportInterface would take precedence over the CIDRs.
  const cleared =
    wanted.by === 'cidr' && setting(conf, 'transportInterface') ? without(conf, 'transportInterface') : conf;
  const key = wanted.by === 'name' ? 'transportInterface' : 'transportInterfaceCIDRs';
  const line = lineOf(wanted);
  const place = new RegExp(`^(?:#[ \\t]*)?${key}:.*(?:\\r?\\n[ \\t]*-.*)*`, 'm');
  if (place.test(cleared)) return cleared.replace(place, () => line);
  return `${cleared.replace(/\n?$/, '\n')}${line}\n`;
}

function without(conf: string, key: string): string {
  return conf.replace(new RegExp(`^${key}:.*$`, 'm'), line => `#${line}`);
}
