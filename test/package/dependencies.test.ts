import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import packageJson from '../../package.json' with {type: 'json'};
import lock from '../../package-lock.json' with {type: 'json'};

const page = readFileSync(new URL('../../docs/dependencies.md', import.meta.url), 'utf8');
const [, program = '', build = ''] = page.split(/^## /m);
const named = (part: string) => [...part.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, name, why]) => [name, why]);

test('every direct dependency has a reason in docs/dependencies.md, and nothing else has', () => {
  expect(named(program).map(([name]) => name)).toEqual(Object.keys(packageJson.dependencies).sort());
  expect(named(build).map(([name]) => name)).toEqual(Object.keys(packageJson.devDependencies).sort());
  for (const [name, why] of [...named(program), ...named(build)])
    expect([name, why?.length]).toEqual([name, expect.toSatisfy(length => length > 5)]);
});

interface Locked {
  license?: string;
  hasInstallScript?: boolean;
  optional?: boolean;
  integrity?: string;
  resolved?: string;
  dev?: boolean;
}

const packages = Object.entries(lock.packages as Record<string, Locked>).filter(([path]) => path !== '');
const nameOf = (path: string) => path.replace(/^.*node_modules\//, '');

/** Permissive licences; for tools that are not shipped also MPL-2.0, and CC-BY-4.0 for data (caniuse-lite of Stryker). */
const allowed =
  /^\(?(MIT|Apache-2\.0|ISC|BSD-[23]-Clause|0BSD|BlueOak-1\.0\.0|CC0-1\.0|Unlicense|PSF-2\.0)( (OR|AND) (MIT|Apache-2\.0|CC0-1\.0))*\)?$/;
const allowedForTools = /^(MPL-2\.0|CC-BY-4\.0)$/;

test('every package has an allowed licence', () => {
  const odd = packages.filter(([, {license, dev, optional}]) => {
    // The lock file lists packages for other platforms by name only.
    if (license === undefined) return !optional;
    return !allowed.test(license) && !(dev && allowedForTools.test(license));
  });
  expect(odd.map(([path, {license}]) => `${path}: ${license}`)).toEqual([]);
});

test('install scripts run only for packages listed in package.json', () => {
  const withScripts = packages.filter(([, {hasInstallScript}]) => hasInstallScript).map(([path]) => nameOf(path));
  expect(Object.keys(packageJson.allowScripts).sort()).toEqual([...new Set(withScripts)].sort());
  const on = Object.entries(packageJson.allowScripts).flatMap(([name, runs]) => (runs ? [name] : []));
  expect(on.sort()).toEqual(['esbuild', 'node']);
});

test('the lock file has a hash for every installed package, and names no registry', () => {
  expect(packages.filter(([, {integrity, optional}]) => !integrity && !optional).map(([path]) => path)).toEqual([]);
  expect(packages.filter(([, {resolved}]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
});
