import {scriptIn} from '../../helper/shell-command.js';
import {pause} from '../../lib/pause.js';
import type {ExecEnd, ExecSession} from '../api/exec.js';
import {type Ended, runScript, type ShellNode} from './statements.js';

/** Returns the current state of the node that a shell runs on. */
export type LookAtNode = () => Omit<ShellNode, 'size'>;

/** The simulated PowerShell for `kubectl win shell`: runs a script, or reads lines from a terminal. */
export async function runPowerShell(
  command: readonly string[],
  look: LookAtNode,
  session: ExecSession,
): Promise<ExecEnd> {
  const {script, mark, interactive} = scriptIn(command);
  const node = () => ({...look(), size: session.terminal?.size});
  if (!interactive) {
    const {exitCode} = await runAll(script, node(), session);
    await session.stderr(Buffer.from(mark));
    return {exitCode};
  }
  // The script that sets the prompt of a real PowerShell contains the node name.
  const prompt = `${/'(\[[^']*\]: PS )'/.exec(script)?.[1] ?? 'PS '}C:\\> `;
  return converse(prompt, node, session);
}

async function runAll(script: string, node: ShellNode, session: ExecSession): Promise<Ended> {
  const all = runScript(script, node);
  for (const one of all) {
    if (one.ms !== undefined) await pause(one.ms, session.signal);
    await tell(one, session);
  }
  return all.at(-1) ?? {exitCode: 0};
}

/** A terminal has a single output, so errors go there. */
async function tell({out = '', error = ''}: Ended, {stdout, stderr, terminal}: ExecSession): Promise<void> {
  if (out) await stdout(Buffer.from(out));
  if (error) await (terminal ? stdout : stderr)(Buffer.from(error));
}

/** Reads lines like a console: echoes input, handles Backspace, and Ctrl-C discards the line. */
async function converse(prompt: string, node: () => ShellNode, session: ExecSession): Promise<ExecEnd> {
  const show = (text: string) => session.stdout(Buffer.from(text));
  let line = '';
  await show(prompt);
  for await (const bytes of session.stdin) {
    for (const character of Buffer.from(bytes).toString('utf8').replaceAll('\r\n', '\r')) {
      if (character === '\r' || character === '\n') {
        await show('\r\n');
        const last = await runAll(line, node(), session);
        if (last.leaves) return {exitCode: last.exitCode};
        line = '';
        await show(prompt);
      } else if (character === '\u0003') {
        line = '';
        await show(`^C\r\n${prompt}`);
      } else if (character === '\u007f' || character === '\b') {
        if (line !== '') await show('\b \b');
        line = line.slice(0, -1);
      } else if (character >= ' ') {
        line += character;
        await show(character);
      }
    }
  }
  return {exitCode: 1};
}
