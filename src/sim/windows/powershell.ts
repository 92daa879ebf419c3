import {accessSync, constants} from 'node:fs';
import {delimiter, join} from 'node:path';

/** The PowerShell that runs the helper scripts: `$PWSH`, otherwise pwsh or powershell from PATH. */
export function findPowerShell(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  if (environment.PWSH) return environment.PWSH;
  const extension = process.platform === 'win32' ? '.exe' : '';
  const folders = (environment.PATH ?? '').split(delimiter).filter(folder => folder !== '');
  for (const name of ['pwsh', 'powershell']) {
    for (const folder of folders) {
      const path = join(folder, `${name}${extension}`);
      if (isExecutable(path)) return path;
    }
  }
  return undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
