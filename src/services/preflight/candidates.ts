import {WinError} from '../../lib/errors.js';
import {nearestNames} from '../../lib/nearest.js';
import type {Check} from '../../model/check.js';
import type {Plugin} from '../../model/plugin.js';
import {antrea} from '../../plugins/antrea/index.js';
import {antreaPrerequisites} from '../../plugins/antrea/preflight/index.js';
import {calico} from '../../plugins/calico/index.js';
import {calicoPrerequisites} from '../../plugins/calico/preflight/index.js';
import {flannel} from '../../plugins/flannel/index.js';
import {clusterNetConfs} from '../../plugins/flannel/net-conf.js';
import {flannelPrerequisites} from '../../plugins/flannel/preflight/index.js';
import {kubeOvn} from '../../plugins/kube-ovn/index.js';
import {kubeOvnPrerequisites} from '../../plugins/kube-ovn/preflight/index.js';
import {winBridgePrerequisites, wincniPrerequisites} from '../../plugins/shared/bridge-preflight/index.js';
import {winBridge} from '../../plugins/win-bridge/index.js';
import {wincni} from '../../plugins/wincni/index.js';
import type {ClusterModel} from '../../snapshot/cluster.js';
import {unreadNode} from '../../snapshot/node.js';

/** A plugin that a node can be made ready for. */
export interface Candidate {
  readonly plugin: Plugin;
  /** Ways to run it that need different things; the first is taken where neither the user nor the cluster says. */
  readonly modes: readonly string[];
  /** The mode that the cluster's own settings ask for. */
  modeIn(cluster: ClusterModel | undefined): string | undefined;
  /** The variant that the plugin itself calls the mode, where it tells one. */
  variantOf(mode: string | undefined): string | undefined;
  prerequisites(mode: string | undefined): readonly Check[];
}

const simple = {modes: [], modeIn: () => undefined, variantOf: () => undefined};

const candidates: readonly Candidate[] = [
  {
    ...simple,
    plugin: antrea,
    // Where OVS runs is told node by node unless it is asked for.
    modes: ['container', 'service'],
    prerequisites: antreaPrerequisites,
  },
  {...simple, plugin: kubeOvn, prerequisites: kubeOvnPrerequisites},
  {
    plugin: flannel,
    modes: ['overlay', 'host-gw'],
    modeIn: cluster => (clusterNetConfs(cluster).some(({type}) => type === 'host-gw') ? 'host-gw' : 'overlay'),
    variantOf: mode => (mode === 'host-gw' ? 'host-gw' : 'vxlan'),
    prerequisites: flannelPrerequisites,
  },
  {
    plugin: calico,
    modes: ['vxlan', 'bgp'],
    modeIn: cluster =>
      calico.recognise({cluster, object: undefined, node: unreadNode('')})?.variant === 'bgp' ? 'bgp' : 'vxlan',
    variantOf: mode => mode,
    prerequisites: calicoPrerequisites,
  },
  {...simple, plugin: winBridge, prerequisites: winBridgePrerequisites},
  {...simple, plugin: wincni, prerequisites: wincniPrerequisites},
];

/** Every prerequisite of every plugin in every mode, once. */
export const allPrerequisites: readonly Check[] = [
  ...new Map(
    candidates
      .flatMap(({modes, prerequisites}) => [undefined, ...modes].flatMap(mode => prerequisites(mode)))
      .map(check => [check.id, check]),
  ).values(),
];

const names = candidates.map(({plugin}) => plugin.name as string);

export function candidateNamed(name: string | undefined): Candidate {
  const found = candidates.find(({plugin}) => plugin.name === name?.toLowerCase());
  if (found) return found;
  const [close] = name === undefined ? [] : nearestNames(name, names);
  throw new WinError(
    name === undefined ? 'no network plugin is named.' : `nothing is known of what "${name}" needs on Windows nodes.`,
    {next: [...(close ? [`Did you mean "${close}"?`] : []), `Plugins: ${names.join(', ')}.`]},
  );
}

/** The mode that a user asks for, or what the plugin has instead. */
export function requireMode({plugin, modes}: Candidate, mode: string | undefined): void {
  if (mode === undefined || modes.includes(mode)) return;
  throw new WinError(
    modes.length > 0 ? `${plugin.title} has no mode "${mode}".` : `${plugin.title} has one way to run, and no --mode.`,
    {next: modes.length > 0 ? [`Modes: ${modes.join(', ')}.`] : []},
  );
}
