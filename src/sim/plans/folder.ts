import type {JournalEntry, Requester} from '../../model/plan.js';
import type {JsonObject} from '../json.js';
import type {Reach} from './reach.js';

/** Addresses, routes and DNS servers of a node when a plan started. */
export interface SavedNetwork {
  netAdapters: JsonObject[];
  netIPAddresses: JsonObject[];
  netIPInterfaces: JsonObject[];
  netRoutes: JsonObject[];
  dnsServers: JsonObject[];
  /** Missing for a plan without a reachability check. */
  reach?: Reach;
}

/** A plan on the node's disk (C:\ProgramData\kubectl-win\plans\<id>). It outlives pods, connections and reboots. */
export interface PlanFolder {
  readonly id: string;
  /** plan.json, unchanged. */
  readonly text: string;
  readonly hash: string;
  /** network.json, once the plan has started. */
  network?: SavedNetwork;
  /** requester.json: the user who resumes the plan or rolls it back. */
  requester?: Requester;
  /** journal.ndjson. */
  readonly journal: JournalEntry[];
  /** Files that the plan removed, by the names under which they are kept. */
  readonly removed: Map<string, JsonObject>;
}
