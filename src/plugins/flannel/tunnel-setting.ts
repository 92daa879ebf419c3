import {apiPath} from '../../lib/api-path.js';
import {names} from '../../lib/names.js';
import {shellText} from '../../lib/quote.js';
import type {DetectionInput} from '../../model/plugin.js';
import {
  objectTitle,
  patchCommand,
  rollsOut,
  type Translation,
  type TunnelSetting,
  type TunnelValue,
  type WantedUplink,
} from '../../model/tunnel-setting.js';
import type {Workload} from '../../snapshot/cluster.js';
import {windowsDaemonSets} from '../../snapshot/daemon-sets.js';

const overwrite = 'flannel.alpha.coreos.com/public-ip-overwrite';
const option = /^--?iface(-regex)?(=|$)/;

/**
 * flanneld uses `--iface`, then `--iface-regex`, then the adapter of the default route; on Windows only since 0.24.1.
 */
export const flannelTunnelSetting: TunnelSetting = {by: 'settings', objects: [], translate};

function translate(input: DetectionInput, wanted: WantedUplink): Translation {
  const {object, node} = input;
  const [set] = windowsDaemonSets(input.cluster, /flannel/i);
  const given = set ? flanneld(set)?.args.filter(arg => option.test(arg)) : undefined;
  const running = node.processes?.find(({name}) => name === 'flanneld')?.commandLine;
  const settings: TunnelValue[] = [
    {
      name: '--iface, --iface-regex',
      where: set ? `${objectTitle(set)}, arguments of flanneld` : 'the command line of flanneld on the node',
      now: given && given.length > 0 ? names(given) : running?.match(/--?iface(-regex)?[= ]("[^"]*"|\S+)/g)?.join(' '),
    },
    {name: overwrite, where: `Node ${node.name}`, now: object?.metadata.annotations[overwrite]},
  ];
  const base = {title: 'Flannel', settings, reach: set ? 'all Windows nodes' : 'this node'};
  if (!wanted) return {...base, notes: []};
  const argument = argumentOf(wanted);
  const advertised = `${overwrite} changes only the address that other nodes send to: kubectl annotate node ${shellText(node.name)} ${overwrite}=ADDRESS`;
  if (argument === undefined) {
    const notes = [
      'flanneld supports only /8, /16 and /24 blocks here: select the adapter by name instead.',
      advertised,
    ];
    return {...base, notes, unsafe: 'flanneld has no argument for this block'};
  }
  const change = set && changeOf(set, argument);
  if (!change) {
    const how = set
      ? 'the image starts flanneld through a script'
      : 'flanneld does not run as a DaemonSet on this node';
    return {...base, notes: [`Start flanneld with ${shellText(argument)}.`, advertised], unsafe: how};
  }
  const unsafe = rollsOut(set.spec.updateStrategy?.type);
  return {...base, change, notes: [advertised], ...(unsafe !== undefined && {unsafe})};
}

/** The container whose arguments are those of flanneld. */
function flanneld({spec}: Workload) {
  const {containers} = spec.template.spec;
  const index = containers.findIndex(({command, args}) =>
    [...command, ...args].some(word => /flanneld(\.exe)?$/i.test(word)),
  );
  const container = containers[index];
  return container && {index, args: container.args};
}

function changeOf(set: Workload, argument: string) {
  const container = flanneld(set);
  if (!container || container.args.length === 0) return undefined;
  const {args, index} = container;
  const after = [...args.filter(arg => !option.test(arg)), argument];
  const patch = [{op: 'replace', path: `/spec/template/spec/containers/${index}/args`, value: after}];
  const {namespace = 'default', name} = set.metadata;
  return {
    object: objectTitle(set),
    path: apiPath`/apis/apps/v1/namespaces/${namespace}/daemonsets/${name}`,
    type: 'json',
    patch,
    resourceVersion: set.metadata.resourceVersion,
    command: patchCommand(set, 'json', patch),
    before: args.join('\n'),
    after: after.join('\n'),
  } as const;
}

/**
 * flanneld does not support CIDR blocks, but a pattern can match addresses: /8, /16 and /24 blocks can be written as
 * one.
 */
function argumentOf(wanted: NonNullable<WantedUplink>): string | undefined {
  if (wanted.by === 'name') return `--iface=${wanted.adapter}`;
  const [address = '', length = ''] = wanted.cidr.split('/');
  const octets = address.split('.').slice(0, Number(length) / 8);
  return ['8', '16', '24'].includes(length) ? `--iface-regex=^${octets.join('\\.')}\\.` : undefined;
}
