import type {Level} from './level.js';

/** What it takes to repair a finding. Declared on its check; a plugin's own cleanup may know better for its nodes. */
export interface Repair {
  readonly level: Level;
  /**
   * What it does to the node's own network. `none`: no interruption expected. `blip`: the agent may make the network
   * again, a short interruption. `cut`: the node is cut off on the way. `uncertain`: it is a matter for a person, though
   * a restart may do it; `doctor --fix` does not offer it.
   */
  readonly effect: 'none' | 'blip' | 'cut' | 'uncertain';
  /** What has to be started again after it. */
  readonly restarts: 'agent' | 'kube-proxy' | 'nothing';
}
