import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import type {IncomingMessage} from 'node:http';
import {Agent, request} from 'node:https';
import {text} from 'node:stream/consumers';
import {load} from 'js-yaml';
import WebSocket from 'ws';
import {encodeRequest, type HelperRequest} from '../../src/helper/wire.js';
import type {Scenario} from '../../src/sim/scenario.js';
import {loadScenario, parseScenario} from '../../src/sim/scenarios.js';
import {type Simulation, type SimulationOptions, startSimulation} from '../../src/sim/simulation.js';
import {chosenApi} from '../apiserver/chosen-api.js';

export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of an API are looked into as they come
  body: any;
  warnings: string;
  contentType: string;
}

interface Config {
  clusters: [{cluster: {'certificate-authority-data': string}}];
}

/** A simulated cluster and a plain HTTP client for it. */
export class Cluster implements AsyncDisposable {
  readonly simulation: Simulation;
  readonly #ca: Buffer;
  readonly #agent: Agent;

  constructor(simulation: Simulation) {
    this.simulation = simulation;
    const config = load(simulation.kubeconfig) as Config;
    this.#ca = Buffer.from(config.clusters[0].cluster['certificate-authority-data'], 'base64');
    this.#agent = new Agent({ca: this.#ca, keepAlive: true});
  }

  async request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const content = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await this.#send(method, path, {'content-type': 'application/json', ...headers}, content);
    const contentType = answer.headers['content-type'] ?? '';
    const sent = await text(answer);
    const parsed: unknown = contentType.includes('json') ? JSON.parse(sent) : sent;
    const {
      statusCode = 0,
      headers: {warning = ''},
    } = answer;
    return {status: statusCode, body: parsed, warnings: String(warning), contentType};
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Reply> {
    return this.request('GET', path, undefined, headers);
  }

  post(path: string, body: unknown): Promise<Reply> {
    return this.request('POST', path, body);
  }

  patch(path: string, body: unknown, kind: 'merge' | 'strategic-merge' | 'json' | 'apply' = 'merge'): Promise<Reply> {
    const media = kind === 'apply' ? 'application/apply-patch+yaml' : `application/${kind}-patch+json`;
    return this.request('PATCH', path, body, {'content-type': media});
  }

  delete(path: string, body?: unknown): Promise<Reply> {
    return this.request('DELETE', path, body);
  }

  /** Events of a watch in order; leaving the loop ends it. */
  async *watch(path: string, headers: Record<string, string> = {}): AsyncGenerator<WatchEvent> {
    const answer = await this.#send('GET', path, headers);
    let rest = '';
    try {
      for await (const chunk of answer.setEncoding('utf8')) {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) yield JSON.parse(line) as WatchEvent;
      }
    } finally {
      answer.destroy();
    }
  }

  async #send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<IncomingMessage> {
    const sending = request(`${this.simulation.url}${path}`, {
      method,
      agent: this.#agent,
      headers: {
        authorization: `Bearer ${this.simulation.token}`,
        ...(body !== undefined && {'content-length': Buffer.byteLength(body)}),
        ...headers,
      },
    });
    const [answer] = await once(sending.end(body), 'response');
    return answer;
  }

  /** Waits until a pod has matched at some time since its creation. */
  async podWhere({metadata}: Reply['body'], holds: (pod: Reply['body']) => boolean): Promise<Reply['body']> {
    const {name, namespace, resourceVersion} = metadata;
    const query = `watch=true&fieldSelector=metadata.name%3D${name}&resourceVersion=${resourceVersion}`;
    const events = this.watch(`/api/v1/namespaces/${namespace}/pods?${query}`);
    for await (const {type, object} of events) if (type !== 'DELETED' && holds(object)) return object;
    throw new Error(`the watch of pod ${name} ended`);
  }

  async createPod(body: object): Promise<Reply['body']> {
    const reply = await this.post('/api/v1/namespaces/lab/pods', body);
    if (reply.status !== 201) throw new Error(reply.body.message);
    return reply.body;
  }

  /** A namespace `lab` with the scripts and a running helper pod on a node; returns the pod's name. */
  async helperPod(node = 'win-1', changes: object = {}): Promise<string> {
    await this.post('/api/v1/namespaces', namespace('lab'));
    await this.post('/api/v1/namespaces/lab/configmaps', scripts);
    const name = `helper-${randomUUID().slice(0, 8)}`;
    const created = await this.createPod(pod(name, node, changes));
    await this.podWhere(created, ({status}) => status.phase === 'Running');
    return name;
  }

  exec(pod: string, command: readonly string[], options: ExecOptions = {}): Promise<ExecResult> {
    return exec(this.simulation, this.#ca, pod, command, options);
  }

  helper(pod: string, request: object, options: ExecOptions = {}): Promise<ExecResult> {
    const command = ['powershell.exe', '-File', '$env:CONTAINER_SANDBOX_MOUNT_POINT/kubectl-win/helper.ps1'];
    return this.exec(pod, command, {input: encodeRequest(request as HelperRequest), ...options});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
    await this.simulation.close();
  }
}

export interface WatchEvent {
  type: string;
  object: Reply['body'];
}

export interface ExecOptions {
  input?: string;
  protocols?: string[];
  /** Called with the messages as they arrive. */
  onOutput?: (text: string) => void;
  /** Called with a function that pings the other end, and resolves with its pong. */
  onOpen?: (ping: () => Promise<void>) => void;
}

export interface ExecResult {
  protocol: string;
  stdout: string;
  stderr: string;
  // biome-ignore lint/suspicious/noExplicitAny: a Status object, or nothing when the connection broke
  status: any;
  closeCode: number;
  largestMessage: number;
}

function exec(
  simulation: Simulation,
  ca: Buffer,
  pod: string,
  command: readonly string[],
  {input, protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'], onOutput, onOpen}: ExecOptions,
): Promise<ExecResult> {
  const query = new URLSearchParams({stdout: 'true', stderr: 'true', ...(input !== undefined && {stdin: 'true'})});
  for (const word of command) query.append('command', word);
  const url = `${simulation.url.replace('https', 'wss')}/api/v1/namespaces/lab/pods/${pod}/exec?${query}`;
  const socket = new WebSocket(url, protocols, {ca, headers: {authorization: `Bearer ${simulation.token}`}});
  const result = {protocol: '', stdout: '', stderr: '', status: undefined as unknown, closeCode: 0, largestMessage: 0};
  return new Promise((resolve, reject) => {
    socket.on('open', () => {
      result.protocol = socket.protocol;
      if (input !== undefined) socket.send(Buffer.concat([Buffer.from([0]), Buffer.from(input)]));
      onOpen?.(async () => {
        socket.ping();
        await once(socket, 'pong');
      });
    });
    socket.on('message', data => {
      const bytes = data as Buffer;
      const text = bytes.subarray(1).toString('utf8');
      result.largestMessage = Math.max(result.largestMessage, bytes.length);
      if (bytes[0] === 1) result.stdout += text;
      if (bytes[0] === 2) result.stderr += text;
      if (bytes[0] === 3) result.status = JSON.parse(text);
      onOutput?.(result.stdout);
    });
    socket.on('unexpected-response', (_, response) => {
      let text = '';
      response.on('data', chunk => {
        text += String(chunk);
      });
      response.on('end', () => reject(Object.assign(new Error(text), {code: response.statusCode})));
    });
    socket.on('close', closeCode => resolve({...result, closeCode}));
    socket.on('error', reject);
  });
}

export const namespace = (name: string, labels: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {name, labels},
});

export const script = 'Write-Output hello\n';

const scripts = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {name: 'scripts'},
  immutable: true,
  data: {'helper.ps1': script},
};

/** A pod like the helper's. */
export const pod = (name: string, node: string, changes: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {name, namespace: 'lab', labels: {app: 'lab'}},
  spec: {
    nodeName: node,
    hostNetwork: true,
    os: {name: 'windows'},
    restartPolicy: 'Never',
    securityContext: {windowsOptions: {hostProcess: true, runAsUserName: 'NT AUTHORITY\\SYSTEM'}},
    containers: [
      {
        name: 'helper',
        image: 'registry.example/base:v1',
        volumeMounts: [{name: 'scripts', mountPath: '/kubectl-win'}],
      },
    ],
    volumes: [{name: 'scripts', configMap: {name: 'scripts'}}],
    ...changes,
  },
});

export const collect = (sections: readonly string[]) => ({
  protocol: 1,
  request: 'collect',
  deadlineMs: 5_000,
  sectionTimeoutMs: 1_000,
  sections,
  probes: [],
});

/** A cluster of a built-in scenario, or of one in YAML. Pods start immediately. */
export async function cluster(scenario: string | Scenario, options: Partial<SimulationOptions> = {}): Promise<Cluster> {
  const named = () =>
    String(scenario).includes('\n') ? parseScenario('test', String(scenario)) : loadScenario(String(scenario));
  const loaded = typeof scenario === 'string' ? named() : scenario;
  const api = await chosenApi();
  return new Cluster(await startSimulation({scenario: loaded, podStartMs: 10, podStopMs: 10, api, ...options}));
}
