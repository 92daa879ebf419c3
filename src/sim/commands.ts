import type {ExecEnd, ExecSession} from './api/exec.js';
import {textAt} from './json.js';
import type {SimNode} from './node/sim-node.js';

/** A few harmless Windows programs, for trying `kubectl exec` manually. */
export async function runCommand(node: SimNode, command: readonly string[], session: ExecSession): Promise<ExecEnd> {
  const print = async (text: string): Promise<ExecEnd> => {
    await session.stdout(Buffer.from(text));
    return {exitCode: 0};
  };
  const [program = '', ...args] = command;
  const name = (program.split(/[\\/]/).at(-1) ?? '').toLowerCase().replace(/\.exe$/, '');
  const version = node.os === 'windows' ? textAt(node.state.sections.os, 'Version') : '';
  const revision = node.os === 'windows' ? (node.state.sections.os as {UBR?: number}).UBR : 0;
  if (name === 'hostname')
    return print(`${node.os === 'windows' ? node.name.toUpperCase().slice(0, 15) : node.name}\r\n`);
  if (name === 'whoami') return print('nt authority\\system\r\n');
  if (name === 'echo') return print(`${args.join(' ')}\r\n`);
  if (name === 'cmd' && /^\/[ck]$/i.test(args[0] ?? '')) {
    const inner = args.slice(1).join(' ').trim();
    if (inner === 'ver') return print(`\r\nMicrosoft Windows [Version ${version}.${revision}]\r\n`);
    const exit = /^exit(?: \/b)? (\d+)$/.exec(inner);
    if (exit) return {exitCode: Number(exit[1])};
    return runCommand(node, inner.split(' '), session);
  }
  return {
    failure: `error executing command in container: failed to exec in container: failed to start exec: exec: "${program}": executable file not found in %PATH%: unknown`,
  };
}
