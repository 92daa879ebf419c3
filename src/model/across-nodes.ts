import type {ClusterModel} from '../snapshot/cluster.js';
import type {Fleet} from './check.js';
import type {Remedy} from './remedies.js';
import type {Evidence, Verdict} from './verdict.js';

/** A VNI, and where it was found. */
export interface SeenVni {
  readonly vni: number;
  readonly where: string;
  readonly evidence: Evidence;
}

/** Plugin-specific parts of checks that compare nodes. The fleet passed in contains only nodes that run this plugin. */
export interface AcrossNodes {
  /** Ports on which the tunnels of Windows and Linux nodes never meet. */
  tunnelPorts(fleet: Fleet): readonly Verdict[];
  /** Every VNI that is configured or in use; undefined: the plugin does not require the same VNI on all nodes. */
  readonly vnis: {seen(fleet: Fleet): readonly SeenVni[]; remedy(fleet: Fleet): Remedy} | undefined;
  /** The pod MTU configured for the whole cluster that Windows nodes do not apply. */
  packetSize(cluster: ClusterModel): {readonly bytes: number; readonly setBy: string} | undefined;
  /** Whether agents on Windows are configured with a reachable API server; undefined: not applicable. */
  apiServerOverride(fleet: Fleet): readonly Verdict[] | undefined;
}
