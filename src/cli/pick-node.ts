import type {ConnectionFlags} from '../kube/kubeconfig.js';
import type {InteractiveTerminal} from '../view/interactive-terminal.js';

/** Lets the user select a Windows node, for a command that requires one and was given none. */
export async function letUserPickNode(
  connection: ConnectionFlags,
  person: InteractiveTerminal,
  signal: AbortSignal,
): Promise<string> {
  const {nodeChoices} = await import('../services/node-choices.js');
  const choices = await nodeChoices(connection, signal);
  const {pickNode: pick} = await import('../view/ink/node-picker.js');
  return pick({title: 'Which node?', choices}, {...person, signal});
}
