import type {Confidence, Detection, Profile, Recognition, Sight} from '../model/plugin.js';
import {plugins} from '../plugins/all.js';

const nothingExpected: Profile = {
  network: undefined,
  agent: undefined,
  bridges: [],
  managementAdapter: undefined,
  tunnel: undefined,
  kubeProxy: 'either',
  podSubnet: undefined,
};

/**
 * Tells the plugin of a node from the cluster's objects, from the node, or from either alone.
 * What is meant to run outweighs what lies about: leftovers of a plugin that is gone must not win.
 */
export function detect(sight: Sight): Detection {
  const candidates = plugins
    .map(plugin => ({plugin, recognition: plugin.recognise(sight)}))
    .filter(
      (candidate): candidate is {plugin: (typeof plugins)[number]; recognition: Recognition} =>
        candidate.recognition !== undefined,
    )
    .sort((one, other) => weight(other.recognition) - weight(one.recognition));
  const [best, ...others] = candidates;
  if (!best) {
    return {
      plugin: undefined,
      name: 'unknown',
      title: 'unknown',
      variant: undefined,
      version: undefined,
      confidence: 'guess',
      evidence: [],
      profile: nothingExpected,
      others: [],
      known: plugins,
    };
  }
  const {plugin, recognition} = best;
  return {
    plugin,
    name: plugin.name,
    title: plugin.title,
    variant: recognition.variant,
    version: recognition.version,
    confidence: confidence(recognition, others.length > 0 && weight(others[0]?.recognition) === weight(recognition)),
    evidence: [...recognition.meant, ...recognition.found],
    profile: plugin.profile(sight, recognition),
    others,
    known: plugins,
  };
}

function weight(recognition: Recognition | undefined): number {
  if (!recognition) return 0;
  return (recognition.meant.length > 0 ? 100 : 0) + 10 * recognition.meant.length + recognition.found.length;
}

function confidence({meant, found}: Recognition, tied: boolean): Confidence {
  if (tied) return 'guess';
  return meant.length > 0 && (found.length > 0 || meant.length > 1) ? 'certain' : 'likely';
}
