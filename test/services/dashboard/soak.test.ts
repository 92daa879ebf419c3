import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {loadScenario} from '../../../src/sim/scenarios.js';
import {startSimulation} from '../../../src/sim/simulation.js';
import {Cluster} from '../../e2e/support.js';
import {TerminalProgram} from '../../view/ink/terminal.js';

// `npm run test:soak`: two minutes on 200 nodes. Otherwise a few refreshes of 24 nodes.
const full = process.env.KUBECTL_WIN_SOAK !== undefined;
const program = join(fileURLToPath(new URL('../../../bin', import.meta.url)), 'kubectl-win');
const size = full ? 200 : 24;

function residentMegabytes(pid: number): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** Two minutes from the start: the end is compared with the state after the first 20 seconds. */
async function growsLittle(pid: number): Promise<void> {
  await pause(20_000);
  const early = residentMegabytes(pid);
  await pause(100_000);
  const late = residentMegabytes(pid);
  process.stdout.write(`resident: ${early.toFixed(0)} MB after 20 s, ${late.toFixed(0)} MB after 120 s\n`);
  expect(late, `${early} MB early, ${late} MB late`).toBeLessThanOrEqual(early * 1.2);
}

test('the dashboard refreshes repeatedly and handles keys; its memory does not grow over two minutes', {
  timeout: full ? 900_000 : 180_000,
}, async () => {
  const cluster = new Cluster(await startSimulation({scenario: loadScenario('fleet', {size})}));
  const terminal = new TerminalProgram(program, ['dashboard', '--auto', '--interval', '1s'], {
    env: cluster.env,
    columns: 120,
    rows: 40,
  });
  try {
    const idle = new RegExp(`${size} nodes, \\d+ healthy, \\d+ unhealthy {2}auto\\s*\\n`);
    const busy = /Reading nodes…/;
    if (full) await growsLittle(terminal.pid);
    await terminal.shows(idle);
    for (let round = 0; round < 3; round += 1) {
      await terminal.shows(busy);
      terminal.press('j');
      await terminal.shows(idle);
    }
    expect(await terminal.shows(/›. \S+/)).not.toMatch(/› *\S antrea-win-1 /);
    terminal.press('q');
    expect((await terminal.ended).code).toBe(0);
    expect(terminal.output).not.toMatch(/MaxListenersExceeded|Warning/);
    expect(await cluster.leftovers()).toBe('');
  } finally {
    terminal.close();
    await cluster.close();
  }
});
