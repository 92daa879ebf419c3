import type {ConnectionFlags} from '../kube/kubeconfig.js';
import type {Person} from '../view/terminal-person.js';

/** Lets a person at the terminal pick one of the Windows nodes, for a command that needs one and got none. */
export async function letPersonPickNode(
  connection: ConnectionFlags,
  person: Person,
  signal: AbortSignal,
): Promise<string> {
  const {nodeChoices} = await import('../services/node-choices.js');
  const choices = await nodeChoices(connection, signal);
  const {pickNode: pick} = await import('../view/ink/node-picker.js');
  return pick({title: 'Which node?', choices}, {...person, signal});
}
