import type {Confidence, Detection, Profile, Recognition, Sight} from '../model/plugin.js';
import {plugins} from '../plugins/all.js';
import {NotRead} from '../snapshot/not-read.js';

const nothingExpected: Profile = {
  network: undefined,
  agent: undefined,
  bridges: [],
  managementAdapter: undefined,
  tunnel: undefined,
  kubeProxy: 'either',
  podSubnet: undefined,
};

type Plugins = typeof plugins;

/** What one plugin sees of itself, or why it cannot determine it. */
interface Look {
  readonly plugin: Plugins[number];
  readonly recognition?: Recognition | undefined;
  readonly unread?: NotRead;
}

type Candidate = Look & {readonly recognition: Recognition};

/**
 * Tells the plugin of a node from the cluster's objects, from the node, or from either alone.
 * What is meant to run outweighs leftovers: those of a removed plugin must not win.
 * Where a list that identifies a plugin was not read, only a certain one that no other disputes is taken.
 */
export function detect(sight: Sight): Detection {
  const looks = plugins.map(plugin => look(plugin, sight));
  const candidates = looks
    .filter((one): one is Candidate => one.recognition !== undefined)
    .sort((one, other) => weight(other.recognition) - weight(one.recognition));
  const [best, ...others] = candidates;
  const sure = best && confidenceOf(best, others) === 'certain';
  const doubt = looks.find(({plugin, unread}) => unread && !(sure && leftNothing(plugin, sight)))?.unread;
  if (doubt) return undetermined(doubt);
  if (!best) return {...nothing, profile: nothingExpected, plugin: undefined, others: [], known: plugins};
  const {plugin, recognition} = best;
  try {
    return {
      plugin,
      name: plugin.name,
      title: plugin.title,
      variant: recognition.variant,
      version: recognition.version,
      confidence: confidenceOf(best, others),
      evidence: [...recognition.meant, ...recognition.found],
      profile: plugin.profile(sight, recognition),
      others,
      known: plugins,
    };
  } catch (error) {
    if (error instanceof NotRead) return undetermined(error);
    throw error;
  }
}

function look(plugin: Plugins[number], sight: Sight): Look {
  try {
    return {plugin, recognition: plugin.recognise(sight)};
  } catch (error) {
    if (error instanceof NotRead) return {plugin, unread: error};
    throw error;
  }
}

/** Whether the node itself, inspected alone, shows nothing of a plugin. */
function leftNothing(plugin: Plugins[number], {node}: Sight): boolean {
  return plugin.recognise({cluster: undefined, object: undefined, node}) === undefined;
}

const nothing = {
  name: 'unknown',
  title: 'unknown',
  variant: undefined,
  version: undefined,
  confidence: 'guess',
  evidence: [],
} as const;

/** A plugin that cannot be determined yet: a caller that asks for what it expects gets the reason. */
export function undetermined(unread: NotRead): Detection {
  const ask = (): never => {
    throw unread;
  };
  return Object.defineProperties({...nothing, known: plugins, undetermined: unread.message} as unknown as Detection, {
    plugin: {get: ask},
    profile: {get: ask},
    others: {get: ask},
  });
}

function weight(recognition: Recognition | undefined): number {
  if (!recognition) return 0;
  return (recognition.meant.length > 0 ? 100 : 0) + 10 * recognition.meant.length + recognition.found.length;
}

function confidenceOf({recognition}: Candidate, others: readonly Candidate[]): Confidence {
  const {meant, found} = recognition;
  if (others[0] && weight(others[0].recognition) === weight(recognition)) return 'guess';
  return meant.length > 0 && (found.length > 0 || meant.length > 1) ? 'certain' : 'likely';
}
