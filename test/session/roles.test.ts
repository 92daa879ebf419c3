import {readFileSync} from 'node:fs';
import {describe, expect, it} from 'vitest';
import {describedCommands} from '../../scripts/commands.mjs';
import type {RoleName} from '../../src/session/rights.js';
import {rolesManifest} from '../../src/session/roles-manifest.js';
import type {Disturbed} from '../../src/sim/api/disturbance.js';
import {nodeType} from '../../src/sim/api/resource-types.js';
import {at} from '../../src/sim/json.js';
import type {Scenario} from '../../src/sim/scenario.js';
import {loadScenario} from '../../src/sim/scenarios.js';
import {fleet} from '../e2e/cleanup-support.js';
import {type Cluster, type Ended, startClusterOf} from '../e2e/support.js';
import {everyRole, type RoleRule, rightsOf, ruleName, withRules} from '../roles.js';

it('manifests/rbac.yaml is generated from the table (npm run docs)', () => {
  const file = readFileSync(new URL('../../manifests/rbac.yaml', import.meta.url), 'utf8');
  expect(file).toBe(rolesManifest());
});

const pace = {stepMs: 30, timeScale: 0.01, cutMs: 200, retryMs: 100};

/** The right that a request needs, in the notation of a role. */
function rightOf({method, path, target}: Disturbed): string | undefined {
  if (!target) return undefined;
  const {type, name, subresource} = target;
  const reading = path.includes('watch=true') ? 'watch' : name ? 'get' : 'list';
  const removing = name ? 'delete' : 'deletecollection';
  const verb = {POST: 'create', PATCH: 'patch', PUT: 'update', DELETE: removing}[method] ?? reading;
  return `${verb} ${type.plural}${subresource ? `/${subresource}` : ''}${type.group && `.${type.group}`}`;
}

/** Rights for plugin groups that no scenario has. */
const absent = /\.(operator\.tigera\.io|operator\.openshift\.io)$/;
/** Not visible in the simulation: a WebSocket is not a request there, and Calico is installed by its operator. */
const unseen = /^((get|create) pods\/exec|patch daemonsets\.apps)$/;
const everybodys = /^create selfsubject/;

interface Case {
  readonly roles: readonly RoleName[];
  readonly scenario: Scenario;
  /** The first is also run with fewer rights; the others use the rest of the roles. */
  readonly runs: readonly (readonly [number, ...string[]])[];
}

const drain = ['cleanup', 'win-2', '--level=hard', '--drain', '--yes', '--verify-timeout=30s'] as const;

/** Commands, each with the roles in its help. */
const cases: Readonly<Record<string, Case>> = {
  nodes: {roles: ['look'], scenario: loadScenario('antrea-healthy'), runs: [[0, 'nodes']]},
  'doctor --no-helper': {
    roles: ['look'],
    scenario: loadScenario('antrea-healthy'),
    runs: [[0, 'doctor', '--no-helper']],
  },
  doctor: {roles: ['look', 'inspect'], scenario: loadScenario('antrea-healthy'), runs: [[0, 'doctor', 'win-1']]},
  'helper status': {
    roles: ['inspect'],
    scenario: loadScenario('antrea-healthy'),
    runs: [[0, 'helper', 'status']],
  },
  'helper prune': {roles: ['inspect'], scenario: loadScenario('antrea-healthy'), runs: [[0, 'helper', 'prune']]},
  'helper install': {
    roles: ['inspect', 'install'],
    scenario: loadScenario('antrea-healthy'),
    runs: [
      [0, 'helper', 'install'],
      [0, 'helper', 'install'],
      [0, 'helper', 'uninstall'],
    ],
  },
  cleanup: {roles: ['look', 'inspect', 'repair'], scenario: fleet('without-extension', 2), runs: [[0, ...drain]]},
  'annotate-tunnel': {
    roles: ['look', 'inspect', 'repair'],
    scenario: loadScenario('antrea-healthy'),
    runs: [[0, 'annotate-tunnel', '--all', 'Ethernet0', '--apply', '--yes']],
  },
  'annotate-tunnel of Kube-OVN': {
    roles: ['look', 'inspect', 'repair'],
    scenario: loadScenario('kube-ovn'),
    runs: [[0, 'annotate-tunnel', 'kovn-win-2', 'Ethernet0']],
  },
  'doctor of Calico': {
    roles: ['look'],
    scenario: loadScenario('calico'),
    runs: [[0, 'doctor', '--no-helper']],
  },
  'doctor of Azure CNI': {
    roles: ['look'],
    scenario: loadScenario('azure'),
    runs: [[0, 'doctor', '--no-helper']],
  },
};

it('help names the roles of each command', async () => {
  const {commandFacts: facts} = await describedCommands();
  for (const [name, {roles}] of Object.entries(cases)) {
    const [command = ''] = name.split(/ (?:of|--)/);
    const told = facts[command]?.rbac ?? '';
    for (const role of roles) expect([name, told]).toEqual([name, expect.stringContaining(`kubectl-win-${role}`)]);
  }
});

describe('a user with exactly the roles of a command', () => {
  const used = new Set<string>();

  it.each(Object.entries(cases))('can run it, and it requests nothing else: %s', async (_, {roles, scenario, runs}) => {
    const rules = rightsOf(...roles);
    const granted = new Set(rules.map(ruleName));
    const cluster = await startClusterOf(withRules(scenario, rules), {pace});
    const asked = new Set<string>();
    try {
      cluster.simulation.disturb(request => {
        const right = rightOf(request);
        if (right && request.user === 'operator') asked.add(right);
        return undefined;
      });
      for (const [code, ...args] of runs) {
        const ended = await cluster.win(...args);
        expect([args, ended.code, ended.code === code ? '' : ended.stderr]).toEqual([args, code, '']);
      }
    } finally {
      await cluster.close();
    }
    for (const right of asked) used.add(right);
    expect([...asked].filter(right => !granted.has(right) && !everybodys.test(right))).toEqual([]);
  });

  it('has no unused right', () => {
    const granted = [...new Set(rightsOf(...everyRole).map(ruleName))];
    expect(granted.filter(right => !used.has(right) && !absent.test(right) && !unseen.test(right))).toEqual([]);
  });
});

/** Traces of something that was started and not finished. */
async function halfDone(cluster: Cluster): Promise<string[]> {
  const cordoned = [...cluster.simulation.store.all(nodeType)].filter(
    node => at(node, 'spec', 'unschedulable') === true,
  );
  const left = await cluster.leftovers();
  return [...cordoned.map(({metadata}) => `${metadata.name} is cordoned`), ...(left ? [left] : [])];
}

/** Commands that are run without each right: those that change something, and one that only reads. */
const tried = ['doctor', 'helper install', 'helper prune', 'cleanup', 'annotate-tunnel'] as const;

/** Lists of the cluster are tested with doctor; test/e2e/failing-lists shows cleanup with failing lists. */
const withoutOne = tried.flatMap(name => {
  const rules = rightsOf(...(cases[name]?.roles ?? [])).filter(
    rule =>
      /^(|apps|discovery\.k8s\.io|crd\.antrea\.io)$/.test(rule.apiGroups[0] ?? '') &&
      (name === 'doctor' ||
        rule.namespaces ||
        rule.verbs[0] !== 'list' ||
        /^(nodes|pods)$/.test(rule.resources[0] ?? '')),
  );
  return rules.map(rule => [name, ruleName(rule), rule] as const);
});

/** The missing right, in our words or those of the API server. */
function namesRight({stdout, stderr}: Ended, rule: RoleRule): boolean {
  const [verb = '', resource = ''] = [rule.verbs[0], rule.resources[0]];
  const [plain = ''] = resource.split('/');
  const text = stdout + stderr;
  const ours = new RegExp(`You are not allowed to [^.]*\\b${verb}\\b[^.]*\\b${plain}`);
  const servers = new RegExp(`cannot ${verb} resource \\\\?"${resource}`);
  return ours.test(text) || servers.test(text);
}

describe('a user who lacks one right', () => {
  it.concurrent.each(withoutOne)(
    '%s without %s: works, or names the missing right and leaves nothing unfinished',
    async (name, _, rule) => {
      const {roles, scenario, runs} = cases[name] as Case;
      const rules = rightsOf(...roles).filter(other => JSON.stringify(other) !== JSON.stringify(rule));
      const cluster = await startClusterOf(withRules(scenario, rules), {pace});
      try {
        const [code, ...args] = runs[0] as readonly [number, ...string[]];
        const ended = await cluster.win(...args);
        const text = ended.stdout + ended.stderr;
        expect([code, 3, 4], text).toContain(ended.code);
        if (ended.code === code) return;
        expect(namesRight(ended, rule), text).toBe(true);
        expect(await halfDone(cluster), text).toEqual([]);
      } finally {
        await cluster.close();
      }
    },
  );
});

it('annotate-tunnel --apply writes nothing without the right to change the setting of the plugin', async () => {
  const rules = rightsOf('look', 'inspect', 'repair').filter(({resourceNames}) => resourceNames === undefined);
  const cluster = await startClusterOf(withRules(loadScenario('antrea-healthy'), rules));
  try {
    const {code, stderr} = await cluster.win('annotate-tunnel', '--all', 'Ethernet0', '--apply', '--yes');
    expect(stderr).toContain(
      'You are not allowed to patch configmaps antrea-windows-config in namespace "kube-system"',
    );
    expect(code).toBe(3);
  } finally {
    await cluster.close();
  }
});

describe('a user with only the role look', () => {
  const commands = [
    ['doctor'],
    ['inspect', 'win-1'],
    ['collect'],
    ['preflight', 'antrea', 'win-1'],
    ['logs', 'win-1'],
    ['events', 'win-1'],
    ['diff', 'win-1', 'win-2'],
    ['cleanup', 'win-1', '--yes'],
    ['cleanup', 'win-1', '--status'],
    ['cleanup', 'win-1', '--history'],
    ['annotate-tunnel', 'win-1', 'Ethernet0'],
    ['helper', 'install'],
    ['helper', 'uninstall'],
    ['helper', 'prune'],
    ['helper', 'selftest', 'win-1'],
  ];

  it('gets the missing right from every other command, and changes nothing', async () => {
    const cluster = await startClusterOf(withRules(loadScenario('antrea-healthy'), rightsOf('look')), {pace});
    try {
      expect((await cluster.win('doctor', '--no-helper')).code).toBe(0);
      for (const args of commands) {
        const {code, stdout, stderr} = await cluster.win(...args);
        expect([args, code, stdout + stderr]).toEqual([
          args,
          3,
          expect.stringMatching(/You are not allowed to \w+|cannot \w+ resource/),
        ]);
      }
      expect(await halfDone(cluster)).toEqual([]);
    } finally {
      await cluster.close();
    }
  });
});
