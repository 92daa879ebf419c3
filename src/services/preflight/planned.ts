import type {NodeSubject} from '../../model/check.js';
import type {Plugin, Recognition, Sight} from '../../model/plugin.js';

/** A node as it would be with a plugin, whether it is there already or not: what checks then expect is what it would need. */
export function planned(subject: NodeSubject, plugin: Plugin, variant: string | undefined): NodeSubject {
  const {cluster, object, node} = subject;
  const sight: Sight = {cluster, object, node};
  const seen = plugin.recognise(sight);
  const recognition: Recognition = {meant: [], found: [], ...seen, variant: variant ?? seen?.variant};
  return {
    ...subject,
    plugin: {
      plugin,
      name: plugin.name,
      title: plugin.title,
      variant: recognition.variant,
      version: recognition.version,
      confidence: 'certain',
      evidence: [...recognition.meant, ...recognition.found],
      profile: plugin.profile(sight, recognition),
      known: subject.plugin.known,
      others: subject.plugin.known
        .filter(other => other.name !== plugin.name)
        .flatMap(other => {
          const its = other.recognise(sight);
          return its && its.found.length > 0 ? [{plugin: other, recognition: its}] : [];
        }),
    },
  };
}
