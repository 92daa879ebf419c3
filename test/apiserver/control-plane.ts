import {type ChildProcess, spawn} from 'node:child_process';
import {generateKeyPairSync, randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {mkdtempSync, openSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {dump} from 'js-yaml';
import {type Certificate, makeCertificate} from '../../src/sim/api/certificate.js';
import type {PodSecurityLevel} from '../../src/sim/api/validation/pod-security.js';
import {kubeconfig} from '../../src/sim/kubeconfig.js';
import {AdminApi} from './admin-api.js';
import type {Binaries} from './binaries.js';

export interface User {
  name: string;
  groups: readonly string[];
}

interface ControlPlaneOptions {
  binaries: Binaries;
  serviceNetwork: string;
  /** The user of the kubeconfig that tests pass to programs. */
  user: User;
  /** The Pod Security level of namespaces without a label. */
  podSecurity: PodSecurityLevel;
}

const minute = 60_000;

/** Running control plane processes, killed when the test process exits early. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** etcd, kube-apiserver and, if available, kube-controller-manager, on loopback in their own folder. */
export class ControlPlane {
  readonly folder = mkdtempSync(join(tmpdir(), 'kubectl-win-apiserver-'));
  readonly token = randomBytes(24).toString('base64url');
  readonly api: AdminApi;
  readonly url: string;
  readonly certificate: Certificate;
  readonly auditLog = join(this.folder, 'audit.log');
  readonly #options: ControlPlaneOptions;
  readonly #adminToken = randomBytes(24).toString('base64url');
  readonly #ports: {etcd: number; peer: number; api: number};
  readonly #children = new Map<string, ChildProcess>();
  #server: ChildProcess | undefined;
  #isClosed = false;

  private constructor(options: ControlPlaneOptions, certificate: Certificate, ports: [number, number, number]) {
    const [etcd, peer, api] = ports;
    this.#options = options;
    this.#ports = {etcd, peer, api};
    this.certificate = certificate;
    this.url = `https://127.0.0.1:${api}`;
    this.api = new AdminApi(this.url, certificate.ca, this.#adminToken);
  }

  static async start(options: ControlPlaneOptions): Promise<ControlPlane> {
    const plane = new ControlPlane(options, await makeCertificate(), await freePorts());
    try {
      plane.#writeFiles();
      plane.#startEtcd();
      await plane.startServer();
      return plane;
    } catch (error) {
      await plane.close();
      throw error;
    }
  }

  /** Starts or restarts the API server and waits until it is ready. */
  async startServer(): Promise<void> {
    const {serviceNetwork} = this.#options;
    const file = (name: string) => join(this.folder, name);
    this.#server = this.#run('kube-apiserver', this.#options.binaries.apiServer, [
      `--etcd-servers=http://127.0.0.1:${this.#ports.etcd}`,
      '--bind-address=127.0.0.1',
      // Only clients inside the cluster use it; it must not be a loopback address.
      '--advertise-address=192.0.2.1',
      '--endpoint-reconciler-type=none',
      `--secure-port=${this.#ports.api}`,
      `--cert-dir=${this.folder}`,
      `--tls-cert-file=${file('server.crt')}`,
      `--tls-private-key-file=${file('server.key')}`,
      `--token-auth-file=${file('tokens.csv')}`,
      '--authorization-mode=RBAC',
      `--service-cluster-ip-range=${serviceNetwork}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${file('accounts.key')}`,
      `--service-account-signing-key-file=${file('accounts.key')}`,
      `--admission-control-config-file=${file('admission.yaml')}`,
      `--audit-policy-file=${file('audit.yaml')}`,
      `--audit-log-path=${this.auditLog}`,
      '--audit-log-mode=blocking',
      '--allow-privileged=true',
      // A terminating server waits this long for watches.
      '--request-timeout=10s',
      // Nodes keep the addresses of their scenario; this type leads to the kubelets of the test.
      '--kubelet-preferred-address-types=ExternalDNS',
    ]);
    await this.#ready();
  }

  /** Stops the API server with a signal; etcd keeps its data. */
  async stopServer(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const server = this.#server;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    server.kill(signal);
    await once(server, 'exit');
  }

  startControllerManager(program: string): void {
    const file = (name: string) => join(this.folder, name);
    this.#run('kube-controller-manager', program, [
      `--kubeconfig=${file('admin.kubeconfig')}`,
      '--leader-elect=false',
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      `--root-ca-file=${file('ca.crt')}`,
      `--service-account-private-key-file=${file('accounts.key')}`,
      // The simulated kubelets decide which nodes report, with their own timing.
      '--controllers=*,-nodelifecycle,-nodeipam,-route,-cloud-node-lifecycle,-attachdetach,-persistentvolume-binder',
      '--kube-api-qps=500',
      '--kube-api-burst=1000',
      '--min-resync-period=10m',
    ]);
  }

  kubeconfig(name: string): string {
    return kubeconfig(this.url, this.certificate.ca, this.#options.user.name, this.token, name);
  }

  /** The last output of a control plane program. */
  log(name: string, lines = 30): string {
    return readFileSync(join(this.folder, `${name}.log`), 'utf8')
      .split('\n')
      .slice(-lines)
      .join('\n');
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.api.close();
    const alive = [...this.#children.values()].filter(child => child.exitCode === null && child.signalCode === null);
    await Promise.all(
      alive.map(child => {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        return ended;
      }),
    );
    rmSync(this.folder, {recursive: true, force: true});
  }

  #startEtcd(): void {
    const {etcd, peer} = this.#ports;
    this.#run('etcd', this.#options.binaries.etcd, [
      `--data-dir=${join(this.folder, 'etcd')}`,
      `--listen-client-urls=http://127.0.0.1:${etcd}`,
      `--advertise-client-urls=http://127.0.0.1:${etcd}`,
      `--listen-peer-urls=http://127.0.0.1:${peer}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peer}`,
      `--initial-cluster=default=http://127.0.0.1:${peer}`,
      '--unsafe-no-fsync',
    ]);
  }

  #run(name: string, program: string, args: readonly string[]): ChildProcess {
    // A test that timed out may still start something.
    if (this.#isClosed) throw new Error(`${name} is not started: the control plane is closed`);
    const log = openSync(join(this.folder, `${name}.log`), 'a');
    const child = spawn(program, args, {stdio: ['ignore', log, log], cwd: this.folder});
    this.#children.set(name, child);
    running.add(child);
    child.once('exit', () => running.delete(child));
    return child;
  }

  async #ready(): Promise<void> {
    const deadline = Date.now() + 2 * minute;
    for (;;) {
      if (this.#server?.exitCode !== null) throw new Error(`kube-apiserver ended:\n${this.log('kube-apiserver')}`);
      if (await this.api.isReady()) return;
      if (Date.now() > deadline) throw new Error(`kube-apiserver is not ready:\n${this.log('kube-apiserver')}`);
      await delay(100);
    }
  }

  #writeFiles(): void {
    const write = (name: string, text: string) => writeFileSync(join(this.folder, name), text, {mode: 0o600});
    const {user, podSecurity} = this.#options;
    const {ca, cert, key} = this.certificate;
    write('ca.crt', ca);
    write('server.crt', cert);
    write('server.key', key);
    const accounts = generateKeyPairSync('ec', {namedCurve: 'P-256'}).privateKey;
    write('accounts.key', String(accounts.export({type: 'sec1', format: 'pem'})));
    const line = (token: string, name: string, groups: readonly string[]) =>
      `${token},${name},${name}${groups.length > 0 ? `,"${groups.join(',')}"` : ''}\n`;
    const own = user.groups.filter(group => group !== 'system:authenticated');
    write('tokens.csv', line(this.#adminToken, 'bridge', ['system:masters']) + line(this.token, user.name, own));
    write('admin.kubeconfig', kubeconfig(this.url, ca, 'bridge', this.#adminToken, 'admin'));
    write('audit.yaml', dump(auditPolicy(user.name)));
    write('admission.yaml', dump(admission(podSecurity)));
  }
}

/** Only the user's requests, and each once. */
const auditPolicy = (user: string) => ({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  rules: [{level: 'Metadata', users: [user]}, {level: 'None'}],
});

const admission = (enforce: string) => ({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AdmissionConfiguration',
  plugins: [
    {
      name: 'PodSecurity',
      configuration: {
        apiVersion: 'pod-security.admission.config.k8s.io/v1',
        kind: 'PodSecurityConfiguration',
        defaults: {enforce, 'enforce-version': 'latest'},
        exemptions: {namespaces: ['kube-system']},
      },
    },
  ],
});

/** Three ports that are currently free. */
async function freePorts(): Promise<[number, number, number]> {
  const servers = await Promise.all(
    [0, 1, 2].map(async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const ports = servers.map(server => (server.address() as {port: number}).port);
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))));
  return ports as [number, number, number];
}
