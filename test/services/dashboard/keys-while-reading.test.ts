import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import headless from '@xterm/headless';
import {expect, test} from 'vitest';
import {loadScenario} from '../../../src/sim/scenarios.js';
import {startSimulation} from '../../../src/sim/simulation.js';
import {Cluster} from '../../e2e/support.js';
import {TerminalProgram} from '../../view/ink/terminal.js';

const program = join(fileURLToPath(new URL('../../../bin', import.meta.url)), 'kubectl-win');
const [columns, rows] = [100, 30];
const keyRead = '\u001b]777;key read\u0007';
const frameEnd = '\u001b[?2026l';

/** Runs in the program: adds invisible marks to its output where it has read a key. */
const marking = `
const read = process.stdin.read.bind(process.stdin);
process.stdin.read = (...args) => {
  const text = read(...args);
  if (text !== null) process.stdout.write(${JSON.stringify(keyRead)});
  return text;
};`;

/** The screens after the first frame that follows each key. */
async function screensAfterKeys(output: string): Promise<string[]> {
  const terminal = new headless.Terminal({cols: columns, rows, allowProposedApi: true});
  const write = (text: string) => new Promise<void>(done => terminal.write(text, done));
  const [before = '', ...pieces] = output.split(keyRead);
  await write(before);
  const screens: string[] = [];
  for (const piece of pieces) {
    const end = piece.indexOf(frameEnd) + frameEnd.length;
    await write(piece.slice(0, end));
    const {active} = terminal.buffer;
    screens.push(Array.from({length: rows}, (_, i) => active.getLine(i)?.translateToString(true) ?? '').join('\n'));
    await write(piece.slice(end));
  }
  return screens;
}

test('a key takes effect in the next frame while 200 nodes are read', {timeout: 300_000}, async () => {
  const cluster = new Cluster(await startSimulation({scenario: loadScenario('fleet', {size: 200})}));
  const hook = join(cluster.folder, 'marking.mjs');
  writeFileSync(hook, marking);
  const env = {...cluster.env, NODE_OPTIONS: `--import=${hook}`};
  const terminal = new TerminalProgram(program, ['dashboard'], {env, columns, rows});
  try {
    await terminal.shows(/200 nodes, [1-9]\d* healthy.*in progress/);
    const tabs = ['2', '3', '4', '5', '6', '1'];
    for (const tab of tabs) {
      terminal.press(tab);
      await terminal.shows(new RegExp(`\\[${tab} `));
    }
    expect(terminal.screen(), 'nodes still stream in').toMatch(/in progress/);
    const shown = (await screensAfterKeys(terminal.output)).map(screen => /\[(\d) /.exec(screen)?.[1]);
    expect(shown).toEqual(tabs);
    terminal.press('q');
    expect((await terminal.ended).code).toBe(0);
  } finally {
    terminal.close();
    await cluster.close();
  }
});
