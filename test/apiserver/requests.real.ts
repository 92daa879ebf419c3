import {afterEach, describe, expect, test} from 'vitest';
import {loadScenario} from '../../src/sim/scenarios.js';
import {startSimulation} from '../../src/sim/simulation.js';
import {fleet} from '../e2e/cleanup-support.js';
import {Cluster} from '../e2e/support.js';
import {everyRole, rightsOf, ruleName, withRules} from '../roles.js';
import {type AuditedRequest, AuditLog} from './audit.js';
import {realApi} from './real-api.js';

const rules = rightsOf(...everyRole);
/** Every right of the roles, as named in the audit log. */
const granted = new Set(rules.map(ruleName));

/** Groups of plugins that no scenario has: their objects are not read if the plugin is absent. */
const absent = /\.(operator\.tigera\.io|operator\.openshift\.io)$/;
/** What every authenticated user may do: ask for its own rights. */
const everybodys = /^create selfsubject/;
/** Equivalent to an administrator of the nodes, so no role has it. Without it the boot time of a node is unknown. */
const tooMuch = 'get nodes/proxy';
/** 1.35 and newer also check the first, besides `get`, but audit only the request. Calico has its operator. */
const unseen = ['create pods/exec', 'patch daemonsets.apps'];

interface Command {
  args: string[];
  /** The maximum number of requests on any machine, for two inspected Windows nodes. */
  atMost: number;
  code?: number;
}

const scenarios: Record<string, Command[]> = {
  'antrea-reboot': [
    {args: ['nodes'], atMost: 24},
    {args: ['version'], atMost: 4},
    {args: ['doctor'], atMost: 56, code: 1},
    {args: ['doctor', '--no-helper'], atMost: 24, code: 1},
    {args: ['preflight', 'antrea'], atMost: 56, code: 1},
    {args: ['events'], atMost: 56},
    {args: ['logs', 'win-1'], atMost: 24},
    {args: ['diff', 'win-1', 'win-2'], atMost: 56, code: 1},
    {args: ['helper', 'selftest', 'win-1'], atMost: 24},
    {args: ['shell', 'win-1', '--', 'hostname'], atMost: 30},
    {args: ['collect'], atMost: 48},
    {args: ['inspect', 'win-1'], atMost: 42},
    {args: ['cleanup', 'win-1', '--dry-run=server'], atMost: 48},
    {args: ['cleanup', 'win-1', '--yes'], atMost: 160},
    {args: ['cleanup', '--status'], atMost: 30},
    {args: ['cleanup', 'win-1', '--history'], atMost: 30},
    // It polls its pods once per second.
    {args: ['helper', 'install'], atMost: 30},
    {args: ['helper', 'install', '--interval=1m'], atMost: 30},
    {args: ['doctor', '--max-age=10m'], atMost: 40},
    {args: ['helper', 'status'], atMost: 8},
    {args: ['helper', 'prune'], atMost: 8},
    {args: ['helper', 'uninstall'], atMost: 20},
    {args: ['helper', 'install', '--cleanup-on-boot', '--yes'], atMost: 70},
    {args: ['helper', 'uninstall'], atMost: 30},
  ],
  'antrea-healthy': [{args: ['annotate-tunnel', '--all', 'Ethernet0', '--apply', '--yes'], atMost: 60}],
  'without-extension': [{args: ['cleanup', 'win-2', '--level=hard', '--drain', '--yes'], atMost: 200}],
  'kube-ovn': [
    {args: ['doctor'], atMost: 56},
    {args: ['annotate-tunnel', 'kovn-win-2', 'Ethernet0'], atMost: 50},
    {args: ['annotate-tunnel', '--show'], atMost: 50},
  ],
  calico: [{args: ['doctor'], atMost: 56}],
  azure: [{args: ['doctor'], atMost: 56}],
  'flannel-overlay': [{args: ['doctor'], atMost: 56}],
};

const pace = {stepMs: 30, timeScale: 0.02, retryMs: 300};
const used = new Set<string>();
let cluster: Cluster | undefined;
afterEach(async () => {
  await cluster?.close();
  cluster = undefined;
});

describe('as a user with exactly the roles', () => {
  test.each(Object.entries(scenarios))(
    '%s: every command works, requests nothing else, and no more often than documented',
    async (scenario, commands) => {
      const api = realApi();
      const planned = scenario === 'without-extension' ? fleet(scenario, 2) : loadScenario(scenario);
      cluster = new Cluster(await startSimulation({scenario: withRules(planned, rules), api, controllers: true, pace}));
      const log = new AuditLog(api.plane.auditLog);
      for (const {args, atMost, code = 0} of commands) {
        const ended = await cluster.win(...args);
        expect([args, ended.code, ended.code === code ? '' : ended.stderr]).toEqual([args, code, '']);
        const requests = log.next();
        const rights = askedFor(requests);
        for (const right of rights) used.add(right);
        expect([args, rights.filter(right => !granted.has(right))]).toEqual([args, []]);
        expect([args, refused(requests)]).toEqual([args, []]);
        const list = requests.map(({verb, uri}) => `${verb} ${uri}`).join('\n');
        expect(requests.length, `${args.join(' ')} asked:\n${list}`).toBeLessThanOrEqual(atMost);
      }
    },
    600_000,
  );

  test('no right of the roles is unused', () => {
    const unused = [...granted].filter(right => !used.has(right) && !absent.test(right) && !unseen.includes(right));
    expect(unused).toEqual([]);
  });
});

const askedFor = (requests: readonly AuditedRequest[]) =>
  [
    ...new Set(
      requests.map(({right}) => right ?? '').filter(right => right && right !== tooMuch && !everybodys.test(right)),
    ),
  ].sort();

const refused = (requests: readonly AuditedRequest[]) =>
  requests.filter(({code, right}) => code === 403 && right !== tooMuch).map(({verb, uri}) => `${verb} ${uri}`);
