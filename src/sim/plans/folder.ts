import type {JournalEntry} from '../../model/plan.js';
import type {JsonObject} from '../json.js';
import type {Reach} from './reach.js';

/** Addresses, routes and name servers of a node as they were when a plan began. */
export interface SavedNetwork {
  netAdapters: JsonObject[];
  netIPAddresses: JsonObject[];
  netIPInterfaces: JsonObject[];
  netRoutes: JsonObject[];
  dnsServers: JsonObject[];
  /** Missing for a plan without a dead-man check. */
  reach?: Reach;
}

/** What of a plan is on the node's disk, C:\ProgramData\kubectl-win\plans\<id>: it outlives pods, connections and boots. */
export interface PlanFolder {
  readonly id: string;
  /** plan.json, as it came. */
  readonly text: string;
  readonly hash: string;
  /** network.json, once the plan has begun. */
  network?: SavedNetwork;
  /** journal.ndjson. */
  readonly journal: JournalEntry[];
  /** Files that the plan has removed, by the names that they are kept under. */
  readonly removed: Map<string, JsonObject>;
}
