import {expect, test} from 'vitest';
import {describedCommands} from '../../../scripts/commands.mjs';
import {type Candidate, complete, type Sources} from '../../../src/cli/completion/complete.js';
import {topics} from '../../../src/cli/topics.js';

const {commandFacts: facts} = await describedCommands();

const of =
  (...values: string[]) =>
  async (): Promise<Candidate[]> =>
    values.map(value => ({value}));
const sources: Sources = {
  nodes: of('win-1', 'win-2'),
  adapters: of('Ethernet 2'),
  checks: of('ovs/bridges', 'ovs/services', 'net/mtu'),
  plugins: of('antrea', 'kube-ovn'),
  installable: async () => [{value: 'antrea'}, {value: 'calico'}],
  contexts: async () => [{value: 'prod'}, {value: 'staging'}],
  clusters: async () => [],
  users: async () => [],
};

async function values(...words: string[]): Promise<string[]> {
  const {candidates} = await complete(words, facts, sources);
  return candidates.map(({value}) => value);
}
const files = async (...words: string[]) => (await complete(words, facts, sources)).files;

test.each<[string, string[], string[]]>([
  ['a command', ['doc'], ['doctor']],
  ['a topic', ['help'], ['helper']],
  ['a command of a topic', ['helper', 'un'], ['uninstall']],
  ['a flag', ['doctor', '--fail'], ['--fail-on']],
  ['--no- of a flag', ['doctor', '--no-h'], ['--no-helper']],
  ['a node', ['doctor', ''], ['win-1', 'win-2']],
  ['a node that does not exist yet', ['doctor', 'win-1', ''], ['win-2']],
  ['a node after flags with values', ['doctor', '-o', 'json', '--only', 'ovs', 'win-2', ''], ['win-1']],
  ['an output format', ['inspect', 'win-1', '-o', 'm'], ['mermaid']],
  ['an output format after =', ['inspect', 'win-1', '--output=d'], ['--output=dot']],
  ['a check', ['explain', 'net'], ['net/mtu']],
  ['a check for --only', ['doctor', '--only', 'ovs/b'], ['ovs/bridges']],
  ['the next check of a list', ['doctor', '--only=ovs/bridges,net'], ['--only=ovs/bridges,net/mtu']],
  ['a scenario', ['demo', '--scenario', 'calico'], ['calico', 'calico-reboot']],
  ['a plugin, then nodes', ['preflight', 'a'], ['antrea']],
  ['nodes after a plugin', ['preflight', 'antrea', 'win-2'], ['win-2']],
  ['an adapter after a node', ['annotate-tunnel', 'win-1', 'Eth'], ['Ethernet 2']],
  ['nothing for an unknown command', ['nonsense', ''], []],
])('completes %s', async (_, words, expected) => {
  expect(await values(...words)).toEqual(expected);
});

test('a flag that was already given is not offered again', async () => {
  expect(await values('doctor', '--wait', '--wai')).toEqual([]);
  expect(await values('doctor', '-l', 'a=b', '--sel')).toEqual([]);
});

test('every command is offered once, with its summary', async () => {
  const {candidates} = await complete([''], facts, sources);
  const names = candidates.map(({value}) => value);
  expect(new Set(names).size).toBe(names.length);
  expect(candidates).toContainEqual({value: 'nodes', description: facts.nodes?.summary});
  expect(candidates).toContainEqual({value: 'helper', description: topics.helper});
});

test('the shell offers files only for file arguments', async () => {
  expect(await files('doctor', '--from', '')).toBe(true);
  expect(await files('demo', '--', '')).toBe(true);
  expect(await files('doctor', '--selector', '')).toBe(false);
});
