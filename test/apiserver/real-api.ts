import {setTimeout as delay} from 'node:timers/promises';
import type {ApiObject} from '../../src/sim/api/object.js';
import type {ObjectStore} from '../../src/sim/api/store.js';
import {type ApiFront, accessOf, type Backing, type Served} from '../../src/sim/front.js';
import {listAt} from '../../src/sim/json.js';
import type {SimNode} from '../../src/sim/node/sim-node.js';
import type {Scenario} from '../../src/sim/scenario.js';
import {type Binaries, findBinaries} from './binaries.js';
import {ControlPlane} from './control-plane.js';
import {Kubelet} from './kubelet.js';
import {Mirror} from './mirror.js';
import {rolesOf} from './rbac.js';
import {Scheduler} from './scheduler.js';
import {seed} from './seed.js';

/** One control plane per cluster, from the programs in `KUBEBUILDER_ASSETS`. */
export function realApi(): RealApi {
  const binaries = findBinaries();
  if ('missing' in binaries) throw new Error(binaries.missing);
  return new RealApi(binaries);
}

/** A real API server in front of a simulation: it stores the objects, and the simulated nodes are its kubelets. */
export class RealApi implements ApiFront {
  readonly hasControllers: boolean;
  readonly version: string;
  readonly #binaries: Binaries;
  readonly #kubelets: Kubelet[] = [];
  #plane: ControlPlane | undefined;
  #mirror: Mirror | undefined;
  #scheduler: Scheduler | undefined;

  constructor(binaries: Binaries) {
    this.#binaries = binaries;
    this.version = binaries.version;
    this.hasControllers = binaries.controllerManager !== undefined;
  }

  get plane(): ControlPlane {
    if (!this.#plane) throw new Error('the control plane has not been started');
    return this.#plane;
  }

  async fill(store: ObjectStore, scenario: Scenario, nodes: ReadonlyMap<string, SimNode>): Promise<void> {
    try {
      await this.#fill(store, scenario, nodes);
    } catch (error) {
      await this.#close();
      throw error;
    }
  }

  async #fill(store: ObjectStore, scenario: Scenario, nodes: ReadonlyMap<string, SimNode>): Promise<void> {
    const {user: name, groups} = accessOf(scenario.access);
    const {serviceNetwork, podSecurity} = scenario;
    this.#plane = await ControlPlane.start({
      binaries: this.#binaries,
      serviceNetwork,
      podSecurity,
      user: {name, groups},
    });
    const {api, certificate} = this.#plane;
    const ports = new Map<string, number>();
    for (const node of nodes.values()) {
      const kubelet = new Kubelet(node, certificate);
      await kubelet.open();
      this.#kubelets.push(kubelet);
      ports.set(node.name, kubelet.port);
    }
    store.seed(rolesOf(scenario));
    await seed(store, api, {
      revisions: this.hasControllers,
      nodeStatus: node => kubeletStatus(node, ports.get(node.metadata.name) ?? 0),
    });
    this.#mirror = new Mirror(store, api);
    if (!this.#binaries.controllerManager) return;
    this.#plane.startControllerManager(this.#binaries.controllerManager);
    this.#scheduler = new Scheduler(store, api);
  }

  async serve(backing: Backing): Promise<Served> {
    for (const kubelet of this.#kubelets) kubelet.serve(backing);
    const {plane} = this;
    const mirror = this.#mirror;
    await mirror?.follow();
    return {
      kubeconfig: plane.kubeconfig(backing.scenario.name),
      url: plane.url,
      token: plane.token,
      slowList() {
        throw new Error('a real API server cannot be made slow');
      },
      disturb() {
        throw new Error('a real API server cannot be made to break');
      },
      async restart(awayMs) {
        await plane.stopServer('SIGKILL');
        await delay(awayMs);
        await plane.startServer();
      },
      settled: async () => mirror?.settled(),
      close: () => this.#close(),
    };
  }

  async #close(): Promise<void> {
    this.#scheduler?.close();
    this.#mirror?.close();
    await Promise.all(this.#kubelets.map(kubelet => kubelet.close()));
    await this.#plane?.close();
    const refusals = this.#mirror?.refusals ?? [];
    if (refusals.length > 0) throw new Error(`The API server refused what the simulation did:\n${refusals.join('\n')}`);
  }
}

/** The scenario's addresses do not exist: the API server reaches the kubelet by a name and port of this machine. */
function kubeletStatus(node: ApiObject, Port: number): object {
  return {
    addresses: [...listAt(node, 'status', 'addresses'), {type: 'ExternalDNS', address: 'localhost'}],
    daemonEndpoints: {kubeletEndpoint: {Port}},
    // 1.36 and newer pass WebSockets through to such kubelets; before 1.30 the server does so for all.
    declaredFeatures: ['ExtendWebSocketsToKubelet'],
  };
}
