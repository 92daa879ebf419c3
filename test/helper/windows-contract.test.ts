import {readdirSync, readFileSync} from 'node:fs';
import {describe, expect, it} from 'vitest';
import type {Node} from 'web-tree-sitter';
import {assembleHelper, contractClasses} from '../../scripts/text-modules.mjs';
import {bare, faultsOf, inside, parse, readContract, usesOf, within, word} from './windows-contract.js';

// No PowerShell is needed: the scripts are parsed and compared with Microsoft's published definitions.
const contract = readContract();
const helper = assembleHelper();
const stub = new URL('../../src/sim/windows/', import.meta.url);
const standIns = Object.fromEntries(
  readdirSync(stub)
    .filter(file => file.endsWith('.ps1'))
    .map(file => [file, readFileSync(new URL(file, stub), 'utf8')]),
);
const minutes = 60_000;

describe('what the helper expects of Windows', () => {
  it(
    'exists: classes, properties, methods, numbers, cmdlets, parameters and HNS fields',
    async () => {
      const {uses} = await usesOf(helper, contract);
      expect(uses.flatMap(({fault, line}) => (fault === undefined ? [] : [`line ${line}: ${fault}`]))).toEqual([]);
      const ofClasses = uses.filter(({name}) => /^(win32|msft|msvm|hns).*\.\w+$/i.test(name));
      // Guards against a parser that finds nothing, and so nothing wrong.
      expect(ofClasses.length).toBeGreaterThan(150);
      expect(uses.length).toBeGreaterThan(800);
    },
    5 * minutes,
  );

  it(
    'is reported wherever a property or a parameter is misspelt',
    async () => {
      const {uses} = await usesOf(helper, contract);
      // Parameters that the parser itself uses stay unchanged.
      const guides =
        /-(ClassName|Namespace|Kind|InputObject|Property|Name|Names|FilterScript|MethodName|Arguments|Value|First|Process)$/;
      const misspelt = uses.filter(
        ({name}) =>
          /^(win32|msft|msvm|hns)[^ ]*\.\w+$/i.test(name) || (/^\w+-\w+ -\w+$/.test(name) && !guides.test(name)),
      );
      const places = new Map(misspelt.map(use => [use.index, use]));
      let text = helper;
      for (const {index, name} of [...places.values()].toSorted((a, b) => b.index - a.index)) {
        const last = name.split(/[.-]/).at(-1) ?? '';
        const at = text.indexOf(last, index) + last.length;
        text = `${text.slice(0, at)}Zz${text.slice(at)}`;
      }
      const found = new Set((await faultsOf(text, contract)).map(fault => fault.replace(/:.*$/s, '')));
      const missed = [...places.values()].filter(({line}) => !found.has(`line ${line}`));
      expect(places.size).toBeGreaterThan(300);
      expect(missed.map(({line, name}) => `line ${line}: ${name}`)).toEqual([]);
    },
    5 * minutes,
  );

  it.each([
    [
      'a property',
      'function Get-It { Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetAdapter | Where-Object -FilterScript { $_.InterfaceOperationalState -eq 1 } }',
      'InterfaceOperationalState',
    ],
    [
      'a class in another namespace',
      'function Get-It { Get-CimInstance -ClassName MSFT_NetAdapter }',
      'root/cimv2 has no class MSFT_NetAdapter',
    ],
    [
      'a number',
      'function Get-It { Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetFirewallRule | Where-Object -FilterScript { [int]$_.Enabled -eq 7 } }',
      'never 7',
    ],
    [
      'a parameter',
      'function Get-It { $splat = @{ InterfaceIndex = 1; Metric = 5 }; New-NetRoute @splat }',
      'New-NetRoute has no parameter Metric',
    ],
    [
      'a value',
      'function Get-It { New-ScheduledTaskPrincipal -UserId x -LogonType Service }',
      '-LogonType is never Service',
    ],
    [
      'a method',
      'function Get-It { $it = Get-CimInstance -ClassName Win32_NetworkAdapterConfiguration; Invoke-CimMethod -InputObject $it -MethodName RenewLease }',
      'has no method RenewLease',
    ],
    [
      'a field of HNS',
      'function Get-It { foreach ($it in @(Get-HnsObject -Kind networks)) { $it.LayeredUpon } }',
      'LayeredUpon',
    ],
    ['a cmdlet', 'function Get-It { Get-NetAdaptor }', 'Windows has no Get-NetAdaptor'],
  ])('is reported as wrong for %s', async (_, text, fault) => {
    expect((await faultsOf(text, contract)).join()).toContain(fault);
  });

  it('has every enumeration value with its Windows name', async () => {
    const {enumerations} = await usesOf(helper, contract);
    const tables = new Map(
      [...helper.matchAll(/^ +'(\w+)' \{ @\{ (\d+ = '\w+'(?:; \d+ = '\w+')*) \} \}$/gm)].map(
        ([, kind = '', entries = '']) => [
          kind,
          new Map(entries.split('; ').map(entry => entry.replaceAll("'", '').split(' = ') as [string, string])),
        ],
      ),
    );
    expect(enumerations.length).toBeGreaterThan(10);
    const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
    for (const {kind, className, property} of enumerations) {
      const values = contract.classes.get(className)?.properties.get(property.toLowerCase())?.values ?? new Map();
      for (const [number, name] of values) {
        expect(plain(tables.get(kind)?.get(number) ?? ''), `${className}.${property} ${number}`).toBe(plain(name));
      }
      for (const number of values.size > 0 ? (tables.get(kind)?.keys() ?? []) : []) {
        expect([...values.keys(), '0'], `${className}.${property}`).toContain(number);
      }
    }
  });
});

/** The cmdlets and parameters of a stand-in, and its instances with their properties. */
async function faultsOfStandIn(text: string): Promise<string[]> {
  const root = await parse(text);
  const faults: string[] = [];
  for (const node of within(root, 'function_statement')) {
    const name = within(node, 'function_name')[0]?.text ?? '';
    const cmdlet = contract.cmdlets.get(name.toLowerCase());
    if (!cmdlet) {
      if (exported.has(name)) faults.push(`Windows has no ${name}`);
      continue;
    }
    const block = within(node, 'param_block')[0];
    for (const parameter of block ? within(block, 'script_parameter') : []) {
      const given = within(parameter, 'variable').at(0)?.text.replace(/^\$/, '') ?? '';
      if (!/^(true|false)$/i.test(given) && !cmdlet.parameters.has(given.toLowerCase()))
        faults.push(`${name} has no parameter ${given}`);
    }
  }
  for (const command of within(root, 'command')) {
    if (command.childForFieldName('command_name')?.text !== 'New-Instance') continue;
    const [className, table] = (
      within(command, 'command_elements')[0] ? inside(within(command, 'command_elements')[0] as Node) : []
    ).filter(({type}) => type !== 'command_argument_sep');
    const names = className?.text.startsWith('$') ? caseAround(command) : [word(className ?? command)];
    const entries = table ? within(bare(table), 'hash_entry').filter(entry => depthOf(entry, table) === 1) : [];
    for (const name of names) {
      const known = contract.classes.get(name.toLowerCase());
      if (!known) faults.push(`Windows has no class ${name}`);
      for (const entry of entries) {
        const key = word(inside(entry)[0] ?? entry);
        if (known && !known.properties.has(key.toLowerCase())) faults.push(`${name} has no property ${key}`);
      }
    }
  }
  return faults;
}

/** How many tables enclose an entry, up to the requested one. */
function depthOf(entry: Node, table: Node): number {
  let depth = 0;
  for (let around = entry.parent; around && around.startIndex >= table.startIndex; around = around.parent) {
    if (around.type === 'hash_literal_expression') depth++;
  }
  return depth;
}

/** The class of a case of `switch ($ClassName)`. */
function caseAround(node: Node): string[] {
  let around: Node | null = node;
  while (around && around.type !== 'switch_clause') around = around.parent;
  const label = around && inside(around)[0];
  return label && /^'\w+'$/.test(label.text) ? [word(label)] : [];
}

const exported = new Set(
  [...readFileSync(new URL('Windows.psm1', stub), 'utf8').matchAll(/'(\w+-\w+)'/g)].map(([, name = '']) => name),
);

describe('the stand-ins for Windows', () => {
  it.each(Object.keys(standIns))('%s has no cmdlet, parameter, class or property that Windows lacks', async file => {
    expect(await faultsOfStandIn(standIns[file] ?? '')).toEqual([]);
  });

  it('are reported wherever a property or a parameter is misspelt', async () => {
    const cim = standIns['cim.ps1'] ?? '';
    const mutated = cim.replace('PermanentAddress = $mac', 'PermanentAdress = $mac');
    expect(mutated).not.toBe(cim);
    expect(await faultsOfStandIn(mutated)).toEqual(['MSFT_NetAdapter has no property PermanentAdress']);
    const ip = standIns['ip.ps1'] ?? '';
    const other = ip.replace('[string]$DestinationPrefix', '[string]$Destination');
    expect(other).not.toBe(ip);
    expect(await faultsOfStandIn(other)).toEqual(['New-NetRoute has no parameter Destination']);
  });

  it('have every property of a class with its type: their table is the contract', () => {
    const classes = contractClasses() as Record<string, {Namespace: string; Properties: Record<string, string>}>;
    expect(classes.MSFT_NetNat?.Properties).toMatchObject({Active: 'uint8', Name: 'string', InstanceID: 'string'});
    expect(classes.Win32_QuickFixEngineering?.Properties.InstalledOn).toBe('datetime');
    expect(classes.Msvm_EthernetSwitchExtension?.Namespace).toBe('root/virtualization/v2');
  });
});
