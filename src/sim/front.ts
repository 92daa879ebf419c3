import {randomBytes} from 'node:crypto';
import type {IncomingMessage} from 'node:http';
import type {Duplex} from 'node:stream';
import {Access, type AccessRule, everythingRule} from './api/access.js';
import {makeCertificate} from './api/certificate.js';
import type {Disturb} from './api/disturbance.js';
import type {ResourceRequest} from './api/request.js';
import type {NodeAnswers} from './api/routes.js';
import {ApiServer} from './api/server.js';
import type {ObjectStore} from './api/store.js';
import type {Traffic} from './api/traffic.js';
import type {SchemaCheck} from './api/validation/schema.js';
import {kubeconfig} from './kubeconfig.js';
import type {SimNode} from './node/sim-node.js';
import type {Scenario, ScenarioAccess} from './scenario.js';

/** What an API front serves: the objects of the cluster, and the answers of its nodes. */
export interface Backing {
  store: ObjectStore;
  scenario: Scenario;
  nodes: ReadonlyMap<string, SimNode>;
  answers: NodeAnswers;
  exec(request: ResourceRequest, raw: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
}

/** How clients reach the cluster. */
export interface Served {
  /** YAML with a token user and the embedded CA certificate. */
  kubeconfig: string;
  url: string;
  token: string;
  /** Delays every list request from now on. */
  slowList(milliseconds: number): void;
  /** Disturbs the requests that the function selects, from now on. */
  disturb(disturb: Disturb): void;
  /** Stops the server for `awayMs`. After the restart it knows no roles for `coldMs`: its caches are still empty. */
  restart(awayMs: number, coldMs: number): Promise<void>;
  /** What clients did since the last call, if the front counts it. */
  traffic?(): Traffic;
  /** Resolves when clients can see everything that happened so far. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface ApiFront {
  /** The Kubernetes version, if the front defines it instead of the scenario. */
  version?: string;
  /** Whether the front runs its own controllers, which disables the simulated ones. */
  hasControllers?: boolean;
  /** Copies the objects before anything changes in the cluster. */
  fill?(store: ObjectStore, scenario: Scenario, nodes: ReadonlyMap<string, SimNode>): Promise<void>;
  serve(backing: Backing): Promise<Served>;
}

/** The simulated API server, which serves the store. If `schema` is given, it validates objects. */
export const simulatedApi = (schema?: SchemaCheck): ApiFront => ({
  async serve({store, scenario, answers, exec}) {
    const certificate = await makeCertificate();
    const token = randomBytes(24).toString('base64url');
    const access = accessOf(scenario.access);
    let listDelay = scenario.faults.slowList;
    const server = new ApiServer({
      store,
      certificate,
      version: scenario.kubernetes,
      podSecurity: scenario.podSecurity,
      schema,
      authenticate(given, as) {
        if (given !== token) return undefined;
        return as ? access.impersonate(as, othersOf(scenario.access)[as.user] ?? []) : access;
      },
      nodes: answers,
      exec,
      listDelay: () => listDelay,
    });
    const url = await server.listen();
    return {
      kubeconfig: kubeconfig(url, certificate.ca, access.user, token, scenario.name),
      url,
      token,
      slowList(milliseconds) {
        listDelay = milliseconds;
      },
      disturb(disturb) {
        server.disturb = disturb;
      },
      restart: (awayMs, coldMs) => server.restart(awayMs, coldMs),
      traffic: () => server.traffic(),
      settled: async () => {},
      close: () => server.close(),
    };
  },
});

const viewerRules: readonly AccessRule[] = [
  {verbs: ['get', 'list', 'watch'], apiGroups: ['*'], resources: ['*']},
  {verbs: ['get'], nonResourceURLs: ['*']},
];

/** The user of the kubeconfig and its permissions. */
export function accessOf(access: ScenarioAccess): Access {
  if (access === 'admin') return new Access('demo', [everythingRule], ['system:masters']);
  if (access === 'viewer') return new Access('demo-viewer', viewerRules);
  return new Access(access.user, access.rules);
}

/** Users that can be impersonated, with their rules. */
export const othersOf = (access: ScenarioAccess) => (typeof access === 'string' ? {} : access.others);
