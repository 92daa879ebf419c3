// One executable: Node with the bundle inside (https://nodejs.org/api/single-executable-applications.html).
import {execFileSync} from 'node:child_process';
import {chmodSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {adHocSigned} from './mach-o.mjs';
import {withChecksum, withOurResources} from './pe.mjs';
import {programOf} from './platforms.mjs';

/** Paths are relative: Node writes that of the main file into the executable. `bundle` are the files of the bundle. */
export function seaConfig({runtime, output, codeCache, bundle}) {
  return {
    // It loads the chunks from the assets (scripts/loader.mjs).
    main: 'kubectl-win.js',
    assets: Object.fromEntries(bundle.map(path => [path, path])),
    mainFormat: 'module',
    executable: runtime,
    output,
    disableExperimentalSEAWarning: true,
    useCodeCache: codeCache,
    // NODE_OPTIONS must not inject code into an administrator's tool.
    execArgvExtension: 'none',
  };
}

/** Creates the executable in the folder of the bundle. `builder` is a Node of the same version for this machine. */
export function makeExecutable({platform, runtime, builder, folder, bundle, version}) {
  const program = programOf(platform);
  let executable = runtime;
  if (platform.os === 'windows') {
    executable = join(folder, 'node.exe');
    writeFileSync(executable, withOurResources(readFileSync(runtime), version));
  }
  // Compiled code works only on the platform that compiled it.
  const codeCache = platform.host === `${process.platform}-${process.arch}`;
  const config = seaConfig({runtime: executable, output: program, codeCache, bundle});
  writeFileSync(join(folder, 'sea.json'), JSON.stringify(config));
  // A fixed seed makes the compiled code reproducible; V8 also accepts it with another seed.
  execFileSync(builder, ['--random-seed=1', '--build-sea', 'sea.json'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const path = join(folder, program);
  if (platform.os === 'darwin') writeFileSync(path, adHocSigned(readFileSync(path), 'kubectl-win'));
  if (platform.os === 'windows') writeFileSync(path, withChecksum(readFileSync(path)));
  chmodSync(path, 0o755);
  return path;
}
