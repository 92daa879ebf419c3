import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import helperScript from 'virtual:helper.ps1';
import {expect} from 'vitest';
import {pwsh} from './powershell.js';

/** The lines that a script prints which has the helper's functions, and a value as `$given`. */
export function withFunctions(script: string, given: unknown = null): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-functions-'));
  try {
    const functions = helperScript.slice(0, helperScript.indexOf('\nRemove-ArrayCount\nswitch'));
    writeFileSync(join(folder, 'functions.ps1'), functions);
    writeFileSync(join(folder, 'given.json'), JSON.stringify(given));
    const whole = `. '${join(folder, 'functions.ps1')}'
$given = ConvertFrom-Json -InputObject ([System.IO.File]::ReadAllText('${join(folder, 'given.json')}'))
${script}`;
    writeFileSync(join(folder, 'script.ps1'), whole);
    const {stdout, stderr} = spawnSync(
      pwsh ?? '',
      ['-NoProfile', '-NonInteractive', '-File', join(folder, 'script.ps1')],
      {encoding: 'utf8', cwd: folder},
    );
    expect(stderr).toBe('');
    return stdout.trim().split(/\r?\n/);
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}
