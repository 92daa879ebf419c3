import type {Level} from './level.js';

/** How a finding is repaired. Declared on its check; a plugin's cleanup may override it. */
export interface Repair {
  readonly level: Level;
  /**
   * Effect on the node's own network. `none`: no interruption expected. `blip`: the agent may recreate the network, a
   * short interruption. `cut`: the repair cuts the node off. `uncertain`: needs manual action, although a restart may
   * help; `doctor --fix` does not offer it.
   */
  readonly effect: 'none' | 'blip' | 'cut' | 'uncertain';
  /** What has to be restarted afterwards. */
  readonly restarts: 'agent' | 'kube-proxy' | 'nothing';
}
