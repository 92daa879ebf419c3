import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, describe, expect, it} from 'vitest';
import {assembleHelper, contractClasses} from '../../scripts/text-modules.mjs';
import type {WindowsMachine} from '../../src/sim/windows/machine.js';
import {sectionNames} from '../../src/snapshot/section-names.js';
import {ask, describeHelper, machineFor, nodeOf} from './powershell.js';
import {rows} from './state.js';
import {readContract, usesOf} from './windows-contract.js';

interface Found {
  area: string;
  name: string;
  result: string;
  seen?: string;
  ms: number;
}

const machines: WindowsMachine[] = [];
afterAll(async () => {
  for (const machine of machines) await machine.dispose();
});

describe('what the self-test expects of Windows', () => {
  const text = readFileSync(fileURLToPath(new URL('../../helper/selftest/contract.ps1', import.meta.url)), 'utf8');
  const classes = contractClasses() as Record<string, {Namespace: string; Properties: Record<string, string>}>;
  const names: Record<string, string> = {uint8: 'UInt8', uint16: 'UInt16', uint32: 'UInt32', uint64: 'UInt64'};
  const typeName = (type: string): string => {
    if (type.endsWith('[]')) return `${typeName(type.slice(0, -2))}Array`;
    return names[type] ?? {string: 'String', boolean: 'Boolean', datetime: 'DateTime'}[type] ?? type;
  };
  const expected = [...text.matchAll(/^ {12}(\w+) += '([^']+)'$/gm)].map(([, name = '', properties = '']) => ({
    name,
    properties: properties.split(' ').map(property => property.split(':')),
  }));

  it('matches the contract, property by property', () => {
    expect(expected.length).toBeGreaterThan(20);
    const otherwise = expected.flatMap(({name, properties}) =>
      properties
        .filter(([property = '', type]) => {
          const known = classes[name]?.Properties[property];
          return known === undefined || (type !== undefined && typeName(known) !== type);
        })
        .map(([property]) => `${name}.${property}`),
    );
    expect(otherwise).toEqual([]);
  });

  it('has every class that the helper reads', () => {
    const script = readFileSync(fileURLToPath(new URL('../../helper/order.txt', import.meta.url)), 'utf8')
      .split('\n')
      .filter(line => line.endsWith('.ps1'))
      .map(file => readFileSync(fileURLToPath(new URL(`../../helper/${file}`, import.meta.url)), 'utf8'))
      .join('\n');
    const read = [...script.matchAll(/-ClassName (\w+)/g)].map(([, name]) => name);
    expect([...new Set(read)].filter(name => !expected.some(each => each.name === name))).toEqual([]);
  });

  it('has every Windows cmdlet that the helper calls, with its parameters', async () => {
    const {cmdlets} = JSON.parse(
      readFileSync(new URL('../../src/sim/windows/contract/cmdlets.json', import.meta.url), 'utf8'),
    ) as {cmdlets: Record<string, {module: string}>};
    // Cmdlets of PowerShell itself exist wherever the helper runs.
    const ofWindows = Object.keys(cmdlets).filter(name => !/^Microsoft\.PowerShell/.test(cmdlets[name]?.module ?? ''));
    const {uses} = await usesOf(assembleHelper(), readContract());
    const called = new Map<string, Set<string>>();
    for (const [name = '', parameter] of uses.map(use => use.name.split(' -'))) {
      if (!ofWindows.includes(name)) continue;
      called.set(name, (called.get(name) ?? new Set()).add(parameter?.split(' ')[0] ?? ''));
    }
    const listed = new Map(
      [...text.matchAll(/^ {8}'(\w+-\w+)' += '([^']*)'$/gm)].map(([, name = '', all = '']) => [name, all.split(' ')]),
    );
    const given = (parameters: Iterable<string>) =>
      [...parameters].filter(name => name !== '' && !common.has(name)).toSorted();
    expect(Object.fromEntries([...listed].map(([name, parameters]) => [name, given(parameters)]))).toEqual(
      Object.fromEntries([...called].map(([name, parameters]) => [name, given(parameters)])),
    );
  });
});

/** Common parameters. */
const common = new Set(['Confirm', 'ErrorAction', 'WhatIf']);

describeHelper('the self-test', () => {
  it('run manually reads every section, finds Windows as expected, and leaves a document without names and no task', async () => {
    const node = nodeOf('01-antrea-healthy');
    const machine = machineFor(node);
    machines.push(machine);
    const file = join(machine.folder, 'selftest.json');
    const {text, stderr, exitCode} = await ask(machine, '', {parameters: ['-SelfTest', '-OutFile', file]});
    expect({stderr, exitCode}).toEqual({stderr: '', exitCode: 0});
    const document = JSON.parse(readFileSync(file, 'utf8')) as {kind: string; answers: Found[]};
    expect(document).toMatchObject({apiVersion: 'kubectl-win/v1', kind: 'SelfTest'});
    const {answers} = document;
    const of = (area: string) => answers.filter(answer => answer.area === area);
    expect(
      of('section')
        .map(({name}) => name)
        .toSorted(),
    ).toEqual(sectionNames.filter(name => name !== 'probes').toSorted());
    expect(of('section').filter(({result}) => result !== 'ok')).toEqual([]);
    expect(of('class').filter(({result}) => result !== 'ok')).toEqual([]);
    expect(of('task')).toMatchObject([
      {name: 'register', result: 'ok'},
      {name: 'never-run'},
      {name: 'unregister', result: 'ok'},
    ]);
    expect(answers.filter(({result}) => result === 'failed')).toEqual([]);
    expect(rows(machine.read(), 'scheduledTasks')).toEqual(rows(node, 'scheduledTasks'));
    for (const {IPAddress} of rows(node, 'netIPAddresses')) expect(JSON.stringify(answers)).not.toContain(IPAddress);
    expect(text).toContain('MSFT_NetAdapter');
  });

  it('through a pod reports where this Windows differs, and what could not be read', async () => {
    const node = nodeOf('06-flannel-overlay-healthy');
    node.errors.netNats = {kind: 'AccessDenied', message: 'not for you'};
    delete node.sections.netNats;
    const machine = machineFor(node);
    machines.push(machine);
    const stub = join(machine.folder, 'stub', 'classes.json');
    const known = JSON.parse(readFileSync(stub, 'utf8'));
    delete known.MSFT_NetIPInterface.Properties.AutomaticMetric;
    known.MSFT_NetRoute.Properties.RouteMetric = 'uint32';
    writeFileSync(stub, JSON.stringify(known));
    const {messages, whole} = await ask(machine, {protocol: 1, request: 'selftest', deadlineMs: 240_000});
    expect(whole).toBe(true);
    const answers = messages.filter(message => message.type === 'selftest');
    const answer = (wanted: string) => answers.find(({name}) => name === wanted);
    expect(answer('MSFT_NetIPInterface')).toMatchObject({result: 'differs', seen: 'AutomaticMetric is missing'});
    expect(answer('MSFT_NetRoute')).toMatchObject({result: 'differs', seen: 'RouteMetric is UInt32, not UInt16'});
    expect(answer('MSFT_NetAdapter')).toMatchObject({result: 'ok'});
    expect(answers.find(({area, name}) => area === 'section' && name === 'netNats')).toMatchObject({result: 'failed'});
    expect(answers.find(({area, name}) => area === 'section' && name === 'ovs')).toMatchObject({result: 'info'});
  });
});
