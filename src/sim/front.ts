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

/** What stands behind the API of a cluster: its objects, and the nodes that answer for themselves. */
export interface Backing {
  store: ObjectStore;
  scenario: Scenario;
  nodes: ReadonlyMap<string, SimNode>;
  answers: NodeAnswers;
  exec(request: ResourceRequest, raw: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
}

/** How clients reach the cluster. */
export interface Served {
  /** YAML text: a token user, the authority's certificate inside. */
  kubeconfig: string;
  url: string;
  token: string;
  /** Makes lists slow from now on. */
  slowList(milliseconds: number): void;
  /** Lets requests go wrong from now on, where the function says so. */
  disturb(disturb: Disturb): void;
  /** The server goes away for some time; for some more, one that was restarted knows no roles. */
  restart(awayMs: number, coldMs: number): Promise<void>;
  /** What clients did since the last call, where that is counted. */
  traffic?(): Traffic;
  /** Resolves when clients see all that happened until now. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** What clients of the cluster talk to. */
export interface ApiFront {
  /** The version of Kubernetes that it is, where that is not for the scenario to say. */
  version?: string;
  /** Whether it comes with controllers of its own, so that the simulated ones stay off. */
  hasControllers?: boolean;
  /** Takes over the objects before anything moves in the cluster. */
  fill?(store: ObjectStore, scenario: Scenario, nodes: ReadonlyMap<string, SimNode>): Promise<void>;
  serve(backing: Backing): Promise<Served>;
}

/** The API of the simulation itself: it serves the store. Where `schema` is given, it checks objects against it. */
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

/** Who the user of the kubeconfig is, and what that one may do. */
export function accessOf(access: ScenarioAccess): Access {
  if (access === 'admin') return new Access('demo', [everythingRule], ['system:masters']);
  if (access === 'viewer') return new Access('demo-viewer', viewerRules);
  return new Access(access.user, access.rules);
}

/** Users that can be impersonated, with their rules. */
export const othersOf = (access: ScenarioAccess) => (typeof access === 'string' ? {} : access.others);
