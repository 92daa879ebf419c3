import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {describe} from 'vitest';
import {type HelperMessage, helperMessage} from '../../src/helper/wire.js';
import {withDerived} from '../../src/sim/node/derived.js';
import {WindowsMachine} from '../../src/sim/windows/machine.js';
import {findPowerShell} from '../../src/sim/windows/powershell.js';
import type {NodeDump} from '../../src/snapshot/document.js';
import {type Row, rows} from './state.js';

export const pwsh = findPowerShell();

/** PowerShell takes a second to start, and many seconds on a busy machine. */
export const patience = 300_000;

/** Sections that come from native programs: on a real Windows they have no stand-in. */
export const nativeSections: readonly string[] =
  process.platform === 'win32'
    ? ['ovs', 'drivers', 'bootOptions', 'excludedPorts', 'dynamicPorts', 'vfpPorts', 'containerd', 'ovsFlows']
    : [];

/** Tests that run the helper scripts: without PowerShell they are skipped with a message. */
export function describeHelper(title: string, body: () => void): void {
  if (pwsh === undefined)
    process.stderr.write(`\n*** skipped, no PowerShell found ($PWSH, pwsh, powershell): ${title} ***\n`);
  describe.skipIf(pwsh === undefined)(title, {timeout: patience}, body);
}

export function nodeOf(caseName: string, name?: string): NodeDump {
  const path = fileURLToPath(new URL(`../fixtures/cases/${caseName}.json`, import.meta.url));
  const {nodes} = JSON.parse(readFileSync(path, 'utf8'));
  return asReadNow(nodes[name ?? Object.keys(nodes)[0] ?? '']);
}

/** A node of an older snapshot with the sections and fields that were added since. */
function asReadNow(node: NodeDump): NodeDump {
  const {sections, errors} = withDerived(node);
  const each = (section: string, fields: Row) =>
    sections[section] === undefined ? {} : {[section]: rows({sections}, section).map(row => ({...fields, ...row}))};
  const firewall = sections.firewall as {Rules: Row[]} | undefined;
  return {
    errors,
    sections: {
      ...sections,
      dynamicPorts: ['tcp', 'udp'].map(Protocol => ({Protocol, Start: 49152, End: 65535})),
      ...each('netAdapters', {Hidden: false}),
      ...each('netIPAddresses', {SkipAsSource: false}),
      ...each('netIPInterfaces', {InterfaceMetric: 15, AutomaticMetric: 'Enabled'}),
      ...each('vmSwitches', {SoftwareRscEnabled: true}),
      ...(firewall && {
        firewall: {
          ...firewall,
          Rules: firewall.Rules.map(rule => ({...rule, PolicyStoreSourceType: 'Local'})),
          Store: 'ActiveStore',
        },
      }),
    },
  };
}

export const machineFor = (state: NodeDump, program = pwsh ?? '', node = 'win-1'): WindowsMachine =>
  WindowsMachine.create(program, state, node);

export interface Answer {
  messages: HelperMessage[];
  /** The whole stdout. */
  text: string;
  /** Lines that are not messages. */
  noise: string[];
  exitCode: number | null;
  stderr: string;
  /** Whether the last line matches the lines before it. */
  whole: boolean;
}

interface Ask {
  parameters?: string[];
  environment?: Record<string, string>;
}

/** One request as in an exec: a line in, lines out. Stdin stays open. */
export async function ask(machine: WindowsMachine, request: object | string, options: Ask = {}): Promise<Answer> {
  const child = machine.start(options.parameters, options.environment);
  const text = typeof request === 'string' ? request : Buffer.from(JSON.stringify(request)).toString('base64');
  child.stdin?.on('error', () => undefined);
  child.stdin?.write(`${text}\n`);
  const chunks: Buffer[] = [];
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  const exitCode = await new Promise<number | null>(resolve => child.on('close', resolve));
  return {...parse(Buffer.concat(chunks)), exitCode, stderr};
}

export function parse(bytes: Buffer): Pick<Answer, 'messages' | 'noise' | 'whole' | 'text'> {
  const text = bytes.toString('utf8');
  const lines = text.split('\n').slice(0, -1);
  const messages: HelperMessage[] = [];
  const noise: string[] = [];
  const hash = createHash('sha256');
  let whole = false;
  for (const line of lines) {
    const message = readMessage(line);
    if (message === undefined) {
      noise.push(line);
      continue;
    }
    if (message.type === 'end')
      whole = message.lines === messages.length && message.sha256 === hash.copy().digest('hex');
    else hash.update(`${line}\n`);
    messages.push(message);
  }
  return {messages, noise, whole, text};
}

function readMessage(line: string): HelperMessage | undefined {
  try {
    return helperMessage.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

export const collect = (sections: readonly string[], more: object = {}) => ({
  protocol: 1,
  request: 'collect',
  deadlineMs: 240_000,
  sectionTimeoutMs: 120_000,
  sections,
  probes: [],
  ...more,
});

/** The answer in snapshot format. */
export function dumpOf({messages}: Answer): NodeDump {
  const dump: NodeDump = {sections: {}, errors: {}};
  for (const message of messages) {
    if (message.type !== 'section') continue;
    if (message.error) dump.errors[message.name] = message.error;
    else dump.sections[message.name] = message.data;
  }
  return dump;
}
