import type {ClusterModel} from '../snapshot/cluster.js';
import type {Fleet} from './check.js';
import type {Remedy} from './remedies.js';
import type {Evidence, Verdict} from './verdict.js';

/** A VNI, and where it was seen. */
export interface SeenVni {
  readonly vni: number;
  readonly where: string;
  readonly evidence: Evidence;
}

/** What only the plugin knows where a check looks across nodes. The fleet it is given has no nodes but its own. */
export interface AcrossNodes {
  /** Ports on which the tunnels of Windows and Linux nodes never meet. */
  tunnelPorts(fleet: Fleet): readonly Verdict[];
  /** Every VNI that is set or in use; undefined: no VNI has to be the same on all nodes. */
  readonly vnis: {seen(fleet: Fleet): readonly SeenVni[]; remedy(fleet: Fleet): Remedy} | undefined;
  /** The packet size of pods that is set for the whole cluster, but that Windows nodes do not go by. */
  packetSize(cluster: ClusterModel): {readonly bytes: number; readonly setBy: string} | undefined;
  /** Whether agents on Windows are configured with a reachable API server; undefined: there is nothing to tell. */
  apiServerOverride(fleet: Fleet): readonly Verdict[] | undefined;
}
