import type {Confidence, Detection, DetectionInput, Profile, Recognition} from '../model/plugin.js';
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

/** Whether one plugin was recognised, or why that is undetermined. */
interface Attempt {
  readonly plugin: Plugins[number];
  readonly recognition?: Recognition | undefined;
  readonly unread?: NotRead;
}

type Candidate = Attempt & {readonly recognition: Recognition};

/**
 * Determines the plugin of a node from cluster objects and node data, or from one of them.
 * What should run outweighs what was found, so that leftovers of a removed plugin do not win.
 * If a list that identifies a plugin was not read, a result is accepted only if it is certain and the node has no
 * traces of that other plugin.
 */
export function detect(input: DetectionInput): Detection {
  const attempts = plugins.map(plugin => attempt(plugin, input));
  const candidates = attempts
    .filter((one): one is Candidate => one.recognition !== undefined)
    .sort((one, other) => weight(other.recognition) - weight(one.recognition));
  const [best, ...others] = candidates;
  const sure = best && confidenceOf(best, others) === 'certain';
  const doubt = attempts.find(({plugin, unread}) => unread && !(sure && leftNothing(plugin, input)))?.unread;
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
      profile: plugin.profile(input, recognition),
      others,
      known: plugins,
    };
  } catch (error) {
    if (error instanceof NotRead) return undetermined(error);
    throw error;
  }
}

function attempt(plugin: Plugins[number], input: DetectionInput): Attempt {
  try {
    return {plugin, recognition: plugin.recognise(input)};
  } catch (error) {
    if (error instanceof NotRead) return {plugin, unread: error};
    throw error;
  }
}

/** Whether the node itself has no traces of a plugin. */
function leftNothing(plugin: Plugins[number], {node}: DetectionInput): boolean {
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

/** An undetermined plugin. Access to its members throws the reason, so that checks that need it become `unknown`. */
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
