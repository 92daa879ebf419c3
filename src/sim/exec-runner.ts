import {createHash} from 'node:crypto';
import type {IncomingMessage} from 'node:http';
import type {Duplex} from 'node:stream';
import {type ExecEnd, type ExecSession, offeredProtocols, serveExec} from './api/exec.js';
import type {ApiObject} from './api/object.js';
import type {ResourceRequest} from './api/request.js';
import {configMapType, nodeType, podType} from './api/resource-types.js';
import {authorize} from './api/routes.js';
import {badRequest, internalError} from './api/status.js';
import type {ObjectStore} from './api/store.js';
import {runCommand} from './commands.js';
import {withFault} from './helper/faults.js';
import {KeptStates} from './helper/kept.js';
import type {HelperNode, HelperProgram} from './helper/program.js';
import {listAt, textAt} from './json.js';
import {kubeletObstacle} from './kubelet/dial.js';
import type {Kubelets} from './kubelet/kubelets.js';
import type {LiveNode} from './live/live-node.js';
import {behindFaults, readable, withoutFaults} from './node/readable.js';
import type {SimNode} from './node/sim-node.js';
import {runPowerShell} from './shell/sim-shell.js';
import {minor} from './version.js';

export interface ExecRunnerOptions {
  store: ObjectStore;
  nodes: ReadonlyMap<string, SimNode>;
  kubelets: Kubelets;
  helper: HelperProgram;
  /** The running Windows nodes; only these have a helper. */
  lives: ReadonlyMap<string, LiveNode>;
  version: string;
}

const helperPath = '/kubectl-win/helper.ps1';

/** Runs the commands that clients exec in pods: the helper, or one of a few harmless commands. */
export class ExecRunner {
  readonly #options: ExecRunnerOptions;
  /** Functions that break the open connections to a node. */
  readonly #connections = new Map<string, Set<() => void>>();
  readonly #kept: KeptStates;

  constructor(options: ExecRunnerOptions) {
    this.#options = options;
    this.#kept = new KeptStates(options.store, options.nodes);
  }

  close(): void {
    this.#kept.close();
  }

  async exec(request: ResourceRequest, raw: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    authorize(request, 'get');
    // Kubernetes 1.35 and newer also require `create` for a WebSocket upgrade.
    if (minor(this.#options.version) >= 35) authorize(request, 'create');
    const pod = this.#options.store.get(podType, request.namespace, request.name ?? '');
    const node = this.#options.nodes.get(textAt(pod, 'spec', 'nodeName'));
    if (!node) throw badRequest(`pod ${request.name} does not have a host assigned`);
    const container = containerOf(pod, request.query.get('container'));
    const translated = this.#isTranslated(node, raw);
    const obstacle = this.#obstacle(node, pod, container);
    // A server that translates has already accepted the upgrade when it calls the kubelet.
    if (obstacle && !translated) throw internalError(obstacle);
    const asked = (name: string) => ['true', '1'].includes(request.query.get(name) ?? '');
    const tty = asked('tty');
    // A terminal has a single output: the kubelet opens no separate stderr.
    const streams = {tty, stdin: asked('stdin'), stdout: asked('stdout'), stderr: asked('stderr') && !tty};
    if (!streams.stdin && !streams.stdout && !streams.stderr) {
      throw badRequest('you must specify at least 1 of stdin, stdout, stderr');
    }
    const killed = this.#options.kubelets.lifeOf(pod);
    serveExec(raw, socket, head, streams, {killed, translated}, async session =>
      obstacle
        ? {failure: asTranslated(obstacle, kubeletUrl(node, pod, container, request))}
        : this.#run(node, pod, container, request.query.getAll('command'), session),
    );
  }

  #obstacle(node: SimNode, pod: ApiObject, container: string): string | undefined {
    if (textAt(pod, 'status', 'phase') === 'Running') return kubeletObstacle(node);
    return kubeletObstacle(node) ?? `unable to upgrade connection: container not found ("${container}")`;
  }

  /** Kubernetes 1.30 and newer translate v5 to SPDY; 1.36 and newer do not for nodes that support WebSockets. */
  #isTranslated(node: SimNode, raw: IncomingMessage): boolean {
    if (!offeredProtocols(raw).includes('v5.channel.k8s.io') || minor(this.#options.version) < 30) return false;
    const object = this.#options.store.find(nodeType, undefined, node.name);
    const hasWebSockets = listAt(object, 'status', 'declaredFeatures').includes('ExtendWebSocketsToKubelet');
    return minor(this.#options.version) < 36 || !hasWebSockets;
  }

  /** Breaks all connections to a node, as a network failure does. */
  disconnect(node: string): void {
    for (const drop of this.#connections.get(node) ?? []) drop();
  }

  /** Stops every helper process on a node before a reboot changes its state. */
  powerOff(node: SimNode): void {
    this.#options.helper.powerOff?.(hostName(node));
  }

  powerOn(node: SimNode): void {
    const live = this.#options.lives.get(node.name);
    if (live) this.#options.helper.powerOn?.(this.#helperNode(node, live));
  }

  /** The node as seen by a program that a user starts on it manually. */
  helperNodeOf(name: string): HelperNode | undefined {
    const [node, live] = [this.#options.nodes.get(name), this.#options.lives.get(name)];
    return node && live && this.#helperNode(node, live);
  }

  #helperNode(node: SimNode, live: LiveNode): HelperNode {
    return {
      state: readable(node),
      save: state => live.replace(withoutFaults(node, state)),
      keepStateIn(elsewhere) {
        node.keptIn = elsewhere && behindFaults(node, elsewhere);
      },
      host: hostName(node),
      name: node.name,
    };
  }

  async #run(
    node: SimNode,
    pod: ApiObject,
    container: string,
    command: string[],
    session: ExecSession,
  ): Promise<ExecEnd> {
    const connections = this.#connections.get(node.name) ?? new Set();
    this.#connections.set(node.name, connections.add(session.lose));
    try {
      if (!command.at(-1)?.endsWith(helperPath)) return await this.#runProgram(node, command, session);
      return {exitCode: await this.#runHelper(node, pod, container, session)};
    } finally {
      connections.delete(session.lose);
    }
  }

  async #runProgram(node: SimNode, command: string[], session: ExecSession): Promise<ExecEnd> {
    const live = this.#options.lives.get(node.name);
    if (!live || !isPowerShell(command[0] ?? '')) return runCommand(node, command, session);
    const {shell} = this.#options.helper;
    if (shell)
      return {exitCode: await shell.call(this.#options.helper, this.#helperNode(node, live), command, session)};
    return runPowerShell(command, () => ({host: hostName(node), state: readable(node)}), session);
  }

  async #runHelper(node: SimNode, pod: ApiObject, container: string, session: ExecSession): Promise<number> {
    const script = this.#mountedScript(pod, container);
    const live = this.#options.lives.get(node.name);
    if (script === undefined || !live) {
      const message = `The argument 'C:\\hpc${helperPath.replaceAll('/', '\\')}' to the -File parameter does not exist. Provide the path to an existing '.ps1' file as an argument to the -File parameter.\r\n`;
      await session.stderr(Buffer.from(message));
      return 4294770688;
    }
    const fault = node.faults.helper;
    if (fault?.once) delete node.faults.helper;
    const exitCode = await withFault(this.#options.helper, fault, session.drop).run({
      ...this.#helperNode(node, live),
      plans: live.plans,
      kept: this.#kept.of(pod),
      stdin: session.stdin,
      stdout: session.stdout,
      stderr: session.stderr,
      scriptHash: createHash('sha256').update(script).digest('hex'),
      script,
      signal: session.signal,
    });
    return session.signal.aborted ? 137 : exitCode;
  }

  #mountedScript(pod: ApiObject, name: string): string | undefined {
    const container = listAt(pod, 'spec', 'containers').find(container => textAt(container, 'name') === name);
    const mount = listAt(container, 'volumeMounts').find(mount => textAt(mount, 'mountPath') === '/kubectl-win');
    const volume = listAt(pod, 'spec', 'volumes').find(volume => textAt(volume, 'name') === textAt(mount, 'name'));
    const configMap = textAt(volume, 'configMap', 'name');
    const found = configMap && this.#options.store.find(configMapType, pod.metadata.namespace, configMap);
    return found ? textAt(found, 'data', 'helper.ps1') || undefined : undefined;
  }
}

const isPowerShell = (program: string) => /(?:^|[\\/])powershell(?:\.exe)?$/i.test(program);

/** The computer name of the node, as Windows reports it. */
const hostName = (node: SimNode): string => node.name.toUpperCase().slice(0, 15);

/** A server that translates sends its own request to the kubelet, and its error contains the full URL. */
const asTranslated = (obstacle: string, url: string) =>
  obstacle.replace('error dialing backend', `error sending request: Post "${url}"`);

function kubeletUrl({address}: SimNode, {metadata}: ApiObject, container: string, {query}: ResourceRequest): string {
  const asked = new URLSearchParams(query.getAll('command').map(word => ['command', word]));
  return `https://${address}:10250/exec/${metadata.namespace}/${metadata.name}/${container}?${asked}&error=1&output=1`;
}

function containerOf(pod: ApiObject, asked: string | null): string {
  const names = listAt(pod, 'spec', 'containers').map(container => textAt(container, 'name'));
  const [first = ''] = names;
  if (asked && !names.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${pod.metadata.name}`);
  if (!asked && names.length > 1) {
    const list = `[${names.join(' ')}]`;
    throw badRequest(`a container name must be specified for pod ${pod.metadata.name}, choose one of: ${list}`);
  }
  return asked || first;
}
