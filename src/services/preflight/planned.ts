import {undetermined} from '../../diagnose/detect.js';
import type {NodeSubject} from '../../model/check.js';
import type {Detection, DetectionInput, Plugin, Recognition} from '../../model/plugin.js';
import {NotRead} from '../../snapshot/not-read.js';

/** The node as if it ran the plugin, so that checks expect what the plugin needs, even if it is not installed yet. */
export function planned(subject: NodeSubject, plugin: Plugin, variant: string | undefined): NodeSubject {
  try {
    return {...subject, plugin: detectionOf(subject, plugin, variant)};
  } catch (error) {
    if (error instanceof NotRead) return {...subject, plugin: undetermined(error)};
    throw error;
  }
}

function detectionOf(subject: NodeSubject, plugin: Plugin, variant: string | undefined): Detection {
  const {cluster, object, node} = subject;
  const input: DetectionInput = {cluster, object, node};
  const {known} = subject.plugin;
  const seen = plugin.recognise(input);
  const recognition: Recognition = {meant: [], found: [], ...seen, variant: variant ?? seen?.variant};
  return {
    plugin,
    name: plugin.name,
    title: plugin.title,
    variant: recognition.variant,
    version: recognition.version,
    confidence: 'certain',
    evidence: [...recognition.meant, ...recognition.found],
    profile: plugin.profile(input, recognition),
    known,
    others: known
      .filter(other => other.name !== plugin.name)
      .flatMap(other => {
        const its = other.recognise(input);
        return its && its.found.length > 0 ? [{plugin: other, recognition: its}] : [];
      }),
  };
}
