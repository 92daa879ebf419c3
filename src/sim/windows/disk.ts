import {chmodSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {isDeepStrictEqual} from 'node:util';
import * as z from 'zod/mini';
import type {NodeDump} from '../../snapshot/document.js';
import {hasOvsOnHost} from './ovs-database.js';

const onDisk = z.object({
  Path: z.string(),
  Exists: z._default(z.boolean(), true),
  Length: z.nullish(z.number()),
  LastWriteTime: z.nullish(z.string()),
  Content: z.nullish(z.string()),
  Tail: z.nullish(z.string()),
});
const rows = z.catch(z.array(onDisk), []);
const driver = z.catch(z.object({ovsext: z.object({Installed: z.boolean()})}), {ovsext: {Installed: false}});

/** The location of a node path such as `C:\k\hns.pid` in the folder that represents drive C:. */
export const hostPath = (drive: string, path: string): string => join(drive, ...path.slice(3).split('\\'));

/** Creates the folders and files that the helper expects on every Windows. */
export function writeWindows(drive: string, {sections}: NodeDump): void {
  for (const folder of ['Windows/System32/drivers', 'ProgramData']) mkdirSync(join(drive, folder), {recursive: true});
  writeFileSync(join(drive, 'Windows/System32/vmcompute.dll'), '');
  if (driver.parse(sections.drivers).ovsext.Installed) {
    writeFileSync(join(drive, 'Windows/System32/drivers/ovsext.sys'), '');
  }
}

/** Updates files and logs on the drive from one state to another. */
export function writeFiles(drive: string, before: NodeDump, after: NodeDump): void {
  const known = new Map(filesOf(before).map(row => [row.Path, row]));
  for (const row of filesOf(after)) {
    if (!isDeepStrictEqual(known.get(row.Path), row)) writeRow(drive, row);
    known.delete(row.Path);
  }
  for (const path of known.keys()) rmSync(hostPath(drive, path), {force: true});
}

const filesOf = ({sections}: NodeDump) => [...rows.parse(sections.files), ...rows.parse(sections.logs)];

function writeRow(drive: string, row: z.infer<typeof onDisk>): void {
  const path = hostPath(drive, row.Path);
  if (!row.Exists) {
    rmSync(path, {force: true});
    return;
  }
  mkdirSync(dirname(path), {recursive: true});
  const text = row.Content ?? row.Tail;
  writeFileSync(path, text ?? '');
  if (text == null) truncateSync(path, row.Length ?? 0);
  const time = row.LastWriteTime == null ? new Date() : new Date(row.LastWriteTime);
  utimesSync(path, time, time);
}

/** The `files` section with what is on the drive now: a step may have removed a file, or its undo restored it. */
export function readFiles(drive: string, {sections}: NodeDump): unknown {
  if (!Array.isArray(sections.files)) return sections.files;
  return sections.files.map((row: unknown) => {
    const {Path, Exists} = onDisk.parse(row);
    return !Exists || existsSync(hostPath(drive, Path)) ? row : {Path, Exists: false};
  });
}

/** Windows programs that print the state; each is a small shell script. */
export function writePrograms(drive: string, stub: string, node: NodeDump): void {
  const system = join(drive, 'Windows/System32');
  writeProgram(join(system, 'bcdedit.exe'), print(bcdedit(node)));
  writeProgram(join(system, 'pnputil.exe'), print(pnputil(node)));
  writeProgram(join(system, 'netcfg.exe'), print(netcfg(node)));
  writeProgram(join(system, 'netsh.exe'), netsh(node));
  writeProgram(join(system, 'vfpctrl.exe'), script(stub, 'vfpctrl.mjs'));
  const runtime = containerdProgram(node);
  if (runtime) writeProgram(hostPath(drive, runtime), containerd(node));
  writeProgram(join(system, 'icacls.exe'), 'echo "$@" >>"$KUBECTL_WIN_STATE.icacls"\nchmod 700 "$1"');
  if (!hasOvsOnHost(node)) return;
  for (const name of ['ovs-vsctl', 'ovs-ofctl'])
    writeProgram(join(hostPath(drive, ovsPrograms(node)), `${name}.exe`), script(stub, `${name}.mjs`));
}

/** A program that runs a script of the stand-ins. */
const script = (stub: string, name: string): string =>
  `exec ${quote(process.execPath)} ${quote(join(stub, name))} "$@"`;

export function writeProgram(path: string, body: string): void {
  const text = `#!/bin/sh\n${body}\n`;
  // A plan may be running it.
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const print = (text: string): string => `printf '%s\\n' ${quote(text)}`;

const bootOptions = z.catch(z.object({LoadOptions: z.nullish(z.string())}), {});
const ports = z.catch(z.array(z.object({Protocol: z.string(), Start: z.number(), End: z.number()})), []);
const drivers = z.catch(z.object({ovsext: z.object({Installed: z.boolean(), Inf: z.array(z.string())})}), {
  ovsext: {Installed: false, Inf: []},
});

const bcdedit = ({sections}: NodeDump): string => {
  const {LoadOptions} = bootOptions.parse(sections.bootOptions);
  const load = LoadOptions ? [`loadoptions             ${LoadOptions}`] : [];
  return ['Windows-Startladeprogramm', '-------------------', 'Bezeichner              {current}', ...load].join('\n');
};

/** With the labels of a German Windows: the helper must rely on values only. */
const pnputil = ({sections}: NodeDump): string =>
  drivers
    .parse(sections.drivers)
    .ovsext.Inf.map(
      inf =>
        `Veröffentlichter Name:     ${inf}\nOriginalname:      ovsext.inf\nAnbietername:      The Linux Foundation (R)`,
    )
    .concat('Veröffentlichter Name:     oem1.inf\nOriginalname:      vmxnet3.inf\nAnbietername:      VMware, Inc.')
    .join('\n\n');

const netcfg = ({sections}: NodeDump): string =>
  drivers.parse(sections.drivers).ovsext.Installed ? 'ovsext is installed.' : 'ovsext is not installed.';

function netsh({sections}: NodeDump): string {
  const all = ports.parse(sections.excludedPorts);
  const table = (protocol: string) => {
    const lines = all
      .filter(row => row.Protocol.toLowerCase() === protocol)
      .map(row => `${row.Start}        ${row.End}     *`);
    return print(
      ['', 'Startport    Endport', '----------    --------', ...lines, '', '* - Verwaltete Portausschlüsse.'].join(
        '\n',
      ),
    );
  };
  const dynamic = ports.parse(sections.dynamicPorts);
  const range = (protocol: string) => {
    const {Start, End} = dynamic.find(row => row.Protocol === protocol) ?? {Start: 49152, End: 65535};
    return print(
      [
        '',
        `Protokoll ${protocol} Dynamischer Portbereich`,
        '---------------------------------',
        `Startport      : ${Start}`,
        `Anzahl von Ports : ${End - Start + 1}`,
        '',
      ].join('\n'),
    );
  };
  return [
    'case "$*" in',
    `*dynamicport*protocol=tcp*) ${range('tcp')} ;;`,
    `*dynamicport*) ${range('udp')} ;;`,
    `*protocol=tcp*) ${table('tcp')} ;;`,
    `*) ${table('udp')} ;;`,
    'esac',
  ].join('\n');
}

/** Antrea's scripts install them in a folder apart from the daemons; the MSI uses the same folder. */
function ovsPrograms({sections}: NodeDump): string {
  const line = services.parse(sections.services).find(({Name}) => Name === 'ovsdb-server')?.PathName ?? '';
  return /^"?(C:\\[^"]*\\bin)\\ovsdb-server/i.exec(line)?.[1] ?? 'C:\\openvswitch\\usr\\bin';
}

const services = z.catch(z.array(z.object({Name: z.string(), PathName: z.nullish(z.string())})), []);

function containerdProgram({sections}: NodeDump): string | undefined {
  const line = services.parse(sections.services).find(({Name}) => Name === 'containerd')?.PathName ?? '';
  return /^"?(C:\\[^"]*?\\containerd\.exe)/i.exec(line)?.[1];
}

const folders = z.catch(z.object({ConfDir: z.nullish(z.string()), BinDirs: z.array(z.string())}), {
  ConfDir: 'C:\\Program Files\\containerd\\cni\\conf',
  BinDirs: [],
});

/** `containerd config dump`, with its escapes. */
function containerd({sections}: NodeDump): string {
  const {ConfDir, BinDirs} = folders.parse(sections.containerd);
  const text = (path: string) => JSON.stringify(path);
  return print(
    [
      'version = 2',
      '[plugins]',
      '  [plugins."io.containerd.grpc.v1.cri".cni]',
      ...BinDirs.map(folder => `      bin_dir = ${text(folder)}`),
      ...(ConfDir ? [`      conf_dir = ${text(ConfDir)}`] : []),
    ].join('\n'),
  );
}
