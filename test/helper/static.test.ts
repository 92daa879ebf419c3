import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {beforeAll, describe, expect, it} from 'vitest';
import {Language, type Node, Parser} from 'web-tree-sitter';
import {assembleHelper, helperFiles} from '../../scripts/text-modules.mjs';
import {findPowerShell} from '../../src/sim/windows/powershell.js';
import {sectionNames} from '../../src/snapshot/section-names.js';

// Static rules for the helper, tested everywhere: no PowerShell is needed.
const folder = fileURLToPath(new URL('../../helper/', import.meta.url));
const files = helperFiles(folder).map(file => file.replaceAll('\\', '/'));
const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8');
const script = assembleHelper(folder);

if (findPowerShell() === undefined) {
  const here = fileURLToPath(new URL('.', import.meta.url));
  const others = readdirSync(here).filter(
    file => file.endsWith('.test.ts') && /^describeHelper\(/m.test(readFileSync(join(here, file), 'utf8')),
  );
  const tests = others.flatMap(file => readFileSync(join(here, file), 'utf8').match(/^ +it(\.each)?\(/gm) ?? []);
  process.stderr.write(
    `\n*** helper tests skipped: no PowerShell found ($PWSH, pwsh, powershell); ${tests.length} things not tested: ${others.join(', ')} ***\n\n`,
  );
}

let parser: Parser;
beforeAll(async () => {
  await Parser.init();
  const grammar = createRequire(import.meta.url).resolve('tree-sitter-powershell/tree-sitter-powershell.wasm');
  parser = new Parser();
  parser.setLanguage(await Language.load(grammar));
});

function treeOf(text: string): Node {
  const tree = parser.parse(text);
  if (tree === null) throw new Error('the grammar gave no tree');
  return tree.rootNode;
}

function* nodes(node: Node): Generator<Node> {
  yield node;
  for (const child of node.children) if (child) yield* nodes(child);
}

const allOf = (root: Node, type: string): Node[] => root.descendantsOfType(type).filter(node => node !== null);
const at = (node: Node): string => `line ${node.startPosition.row + 1}: ${node.text.slice(0, 80)}`;

/** The verbs of Get-Verb in Windows PowerShell 5.1. */
const approvedVerbs = new Set(
  `Add Clear Close Copy Enter Exit Find Format Get Hide Join Lock Move New Open Optimize Pop Push Redo Remove Rename Reset
  Resize Search Select Set Show Skip Split Step Switch Undo Unlock Watch Backup Checkpoint Compare Compress Convert
  ConvertFrom ConvertTo Dismount Edit Expand Export Group Import Initialize Limit Merge Mount Out Publish Restore Save Sync
  Unpublish Update Approve Assert Complete Confirm Deny Disable Enable Install Invoke Register Request Restart Resume Start
  Stop Submit Suspend Uninstall Unregister Wait Debug Measure Ping Repair Resolve Test Trace Connect Disconnect Read Receive
  Send Write Block Grant Protect Revoke Unblock Unprotect Use`.split(/\s+/),
);

/** Every cmdlet that the helper may call, for auditors. */
const cmdlets = new Set(
  `Add-Member Add-Type Add-VMNetworkAdapter ConvertFrom-Json ConvertTo-Json ForEach-Object Get-AuthenticodeSignature
  Get-Acl Get-ChildItem Get-CimClass Get-CimInstance Get-Command Get-Date Get-ExecutionPolicy Get-Item Get-ItemProperty Get-Module
  Get-NetFirewallPortFilter Get-NetFirewallProfile Get-NetFirewallRule Get-NetIPAddress Get-NetRoute Get-Process Get-ScheduledTask Get-ScheduledTaskInfo Get-Service Get-TypeData Get-VMNetworkAdapter Get-WinEvent Invoke-CimMethod Join-Path New-ItemProperty
  New-NetFirewallRule New-NetIPAddress New-NetRoute New-Object New-ScheduledTaskAction New-ScheduledTaskPrincipal
  New-ScheduledTaskSettingsSet New-ScheduledTaskTrigger New-TimeSpan Register-ScheduledTask
  Remove-ItemProperty Remove-NetFirewallRule Remove-NetIPAddress Remove-NetRoute Remove-TypeData Rename-NetAdapter Rename-VMNetworkAdapter Select-Object
  Set-DnsClientServerAddress Set-NetIPAddress Set-NetIPInterface Set-StrictMode Sort-Object Split-Path Start-ScheduledTask Start-Service
  Start-Sleep Stop-ScheduledTask Stop-Service Test-Path Unregister-ScheduledTask Where-Object`.split(/\s+/),
);

/** Parameters that are newer than Windows PowerShell 5.1, by cmdlet. */
const newerParameters: Record<string, readonly string[]> = {
  'ConvertFrom-Json': ['-AsHashtable', '-Depth', '-NoEnumerate', '-DateKind'],
  'ConvertTo-Json': ['-AsArray', '-EnumsAsStrings', '-EscapeHandling'],
  'ForEach-Object': ['-Parallel', '-ThrottleLimit', '-AsJob'],
  'Join-Path': ['-AdditionalChildPath', '-Extension'],
  'Split-Path': ['-LeafBase', '-Extension'],
  'Select-Object': ['-SkipIndex', '-CaseInsensitive'],
  'Sort-Object': ['-Top', '-Bottom', '-Stable'],
};

describe('every file of the helper', () => {
  it.each(files)('%s parses, is ASCII with LF line endings, and is part of the script', file => {
    const text = textOf(file);
    const faults = [...nodes(treeOf(text))].filter(node => node.isError || node.isMissing).map(at);
    expect(faults).toEqual([]);
    expect(text.match(/[^\n\x20-\x7e]/g)).toBeNull();
    expect(text.match(/[ \t]+$/gm)).toBeNull();
    expect(text.endsWith('\n')).toBe(true);
    expect(script).toContain(text.trimEnd());
  });

  it('is in order.txt once, and order.txt names no other', () => {
    const order = textOf('order.txt')
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'));
    expect(order.toSorted()).toEqual(files.toSorted());
    expect(existsSync(join(folder, 'README.md'))).toBe(true);
  });
});

describe('the helper as one script', () => {
  it('parses, and fits easily in a ConfigMap', () => {
    expect(treeOf(script).hasError).toBe(false);
    expect(Buffer.byteLength(script)).toBeLessThan(384 * 1024);
  });

  it('is strict and stops at errors before anything else', () => {
    const statements = textOf('head.ps1')
      .split('\n')
      .filter(line => /^[$[A-Z]/.test(line));
    const first = statements.slice(statements.findIndex(line => line.startsWith('Set-')));
    // Global, because functions of modules see nothing else.
    expect(first.slice(0, 2)).toEqual(['Set-StrictMode -Version 3.0', "$global:ErrorActionPreference = 'Stop'"]);
    // A new runspace is not strict: its initial state and the frame around each work item repeat both.
    expect(textOf('runspace.ps1')).toMatch(/ErrorActionPreference = 'Stop'[\s\S]+\$state\.Variables\.Add/);
    expect(textOf('runspace.ps1')).toMatch(/function Invoke-Work [\s\S]+Set-StrictMode -Version 3\.0/);
    expect(script).not.toMatch(/^\s*\$\w+Preference =/m);
  });

  it('has no syntax newer than Windows PowerShell 5.1', () => {
    const root = treeOf(script);
    // The grammar reports ternaries, ?? and ?. as errors, but accepts && and ||.
    expect(allOf(root, 'pipeline_chain_tail').map(at)).toEqual([]);
    expect(script).not.toMatch(/utf8NoBOM|\.ArgumentList\b|\bclean\s*\{/i);
    for (const command of allOf(root, 'command')) {
      const name = command.childForFieldName('command_name')?.text ?? '';
      const parameters = allOf(command, 'command_parameter').map(({text}) => text);
      const newer = (newerParameters[name] ?? []).filter(parameter => parameters.includes(parameter));
      expect(newer.map(parameter => `${parameter} at ${at(command)}`)).toEqual([]);
    }
  });

  it('calls only its own functions and a known list of cmdlets, by their full names', () => {
    const root = treeOf(script);
    const own = new Set(allOf(root, 'function_name').map(({text}) => text));
    const strange = allOf(root, 'command_name').filter(({text}) => !own.has(text) && !cmdlets.has(text));
    expect(strange.map(at)).toEqual([]);
    const short = allOf(root, 'command_parameter').filter(({text}) => !/^-[A-Z][A-Za-z]+:?$/.test(text));
    expect(short.map(at)).toEqual([]);
  });

  it('calls by variable only what its tables name', () => {
    const called = allOf(treeOf(script), 'command_name_expr').map(({text}) => text);
    expect([...new Set(called)].toSorted()).toEqual(['$Function', '$OnAnswer', '$OnSection', '$Work', '$function']);
  });

  it('creates no code from text', () => {
    expect(script).not.toMatch(
      /Invoke-Expression|\[scriptblock\]::Create|InvokeScript|NewScriptBlock|ExpandString|EncodedCommand/i,
    );
    const scripts = [...script.matchAll(/\.AddScript\((.)/g)].map(([, first]) => first);
    expect(scripts).toEqual(['{']);
    const classes = [...script.matchAll(/Add-Type -TypeDefinition (..)/g)].map(([, first]) => first);
    expect(classes).toEqual(["@'", "@'"]);
  });

  it('writes to stdout in one place, and never to the host', () => {
    expect(script).not.toMatch(/Write-Host|Write-Output|Out-Host|\[(System\.)?Console\]::(Write|Out)/i);
    expect(files.filter(file => textOf(file).includes('OpenStandardOutput'))).toEqual(['wire.ps1']);
  });

  it('does not use $input', () => {
    // A script that mentions $input makes PowerShell read all of stdin first.
    expect(script).not.toMatch(/\$input\b/i);
  });

  it('names its functions with approved verbs, each once', () => {
    const names = allOf(treeOf(script), 'function_name').map(({text}) => text);
    expect(names.filter(name => !/^[A-Z][A-Za-z]+-[A-Z][A-Za-z0-9]+$/.test(name))).toEqual([]);
    expect(names.filter(name => !approvedVerbs.has(name.split('-')[0] ?? ''))).toEqual([]);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('gives every step function ShouldProcess, and calls it before it acts', () => {
    const functions = new Map(
      allOf(treeOf(script), 'function_statement').map(node => [allOf(node, 'function_name')[0]?.text ?? '', node.text]),
    );
    const steps = [...functions].filter(
      ([name]) =>
        name.endsWith('Step') && name !== 'Invoke-Step' && name !== 'Invoke-PlanStep' && name !== 'Assert-PlanStep',
    );
    expect(steps).toHaveLength(19);
    for (const [name, text] of steps) {
      expect(text, name).toContain('SupportsShouldProcess = $true');
      expect(text, name).toContain('$PSCmdlet.ShouldProcess(');
    }
  });
});

describe('what the helper and the client agree on', () => {
  it('the sections', () => {
    const table = textOf('sections/table.ps1');
    const names = [...table.matchAll(/^ {8}(\w+) += @\{ Function/gm)].map(([, name]) => name);
    expect(names.toSorted()).toEqual([...sectionNames].toSorted());
  });
});
