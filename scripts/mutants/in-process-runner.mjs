// Runs tests for Stryker in one process that loads them once. Stryker's own runner for vitest loads the program and
// the tests again for each mutant, which takes 1.3 s where the tests themselves take a few milliseconds. It provides
// only `describe`, `it`, `test` with their `each`, and vitest's own `expect`. A test that imports anything else from
// vitest fails, so it cannot pass without running.
import {globSync, readFileSync} from 'node:fs';
import {resolve} from 'node:path';
import {commonTokens, declareFactoryPlugin, PluginKind, tokens} from '@stryker-mutator/api/plugin';
import {DryRunStatus, determineHitLimitReached, MutantRunStatus, TestStatus} from '@stryker-mutator/api/test-runner';
import {createServer, createServerModuleRunner} from 'vite';
import {expect} from 'vitest';
import {viteTextModules} from '../text-modules.mjs';

globalThis.__stryker__ ??= {};
const stryker = globalThis.__stryker__;

/** Records the tests that files declare with `describe` and `test`. */
class Collection {
  tests = new Map();
  #file = '';
  #suites = [];

  async add(file, load) {
    this.#file = file;
    await load();
  }

  #describe(name, body) {
    this.#suites.push(name);
    body();
    this.#suites.pop();
  }

  #test(name, ...rest) {
    const run = rest.find(part => typeof part === 'function');
    const title = [this.#file, ...this.#suites, name].join(' > ');
    let id = title;
    for (let n = 2; this.tests.has(id); n += 1) id = `${title} (${n})`;
    this.tests.set(id, {id, file: this.#file, run});
  }

  get api() {
    const withEach = declare =>
      Object.assign(declare, {
        each: rows => (name, body) => {
          for (const row of rows) {
            const values = Array.isArray(row) ? row : [row];
            declare(`${name} ${values.map(short).join(', ')}`, () => body(...values));
          }
        },
      });
    const describe = withEach((name, body) => this.#describe(name, body));
    const test = withEach((name, ...rest) => this.#test(name, ...rest));
    return {describe, test, it: test, expect: expectWithGolden};
  }
}

const short = value => (typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))).slice(0, 60);

/** vitest's `expect`, but golden files are only compared, never written: vitest's own comparison needs its worker. */
const expectWithGolden = Object.assign(
  (received, message) =>
    Object.assign(expect(received, message), {
      toMatchFileSnapshot: path => expect(received).toBe(readFileSync(path, 'utf8')),
    }),
  expect,
);

class InProcessRunner {
  #patterns;
  #collection = new Collection();
  #server;
  #ms = new Map();
  /** How often each test has killed a mutant, by mutated file. Tests that killed before run first. */
  #kills = new Map();

  constructor(options) {
    this.#patterns = options.inProcess.tests;
  }

  /** Modules load only once, so mutants of code that runs only while a module loads are left out (`ignoreStatic`). */
  capabilities() {
    return {reloadEnvironment: true};
  }

  async init() {
    globalThis.testApi = this.#collection.api;
    this.#server = await createServer({
      configFile: false,
      logLevel: 'error',
      appType: 'custom',
      server: {middlewareMode: true, watch: null, hmr: false, ws: false},
      ssr: {noExternal: ['vitest']},
      optimizeDeps: {noDiscovery: true},
      plugins: [testApi, viteTextModules],
    });
    const modules = createServerModuleRunner(this.#server.environments.ssr, {hmr: false});
    for (const file of globSync(this.#patterns).sort())
      await this.#collection.add(file, () => modules.import(resolve(file)));
  }

  async dryRun() {
    const tests = [];
    stryker.activeMutant = undefined;
    for (const test of this.#collection.tests.values()) {
      stryker.currentTestId = test.id;
      const start = performance.now();
      const failureMessage = await failure(test);
      const timeSpentMs = performance.now() - start;
      this.#ms.set(test.id, timeSpentMs);
      const common = {id: test.id, name: test.id, fileName: resolve(test.file), timeSpentMs};
      tests.push(
        failureMessage === undefined
          ? {...common, status: TestStatus.Success}
          : {...common, status: TestStatus.Failed, failureMessage},
      );
    }
    stryker.currentTestId = undefined;
    return {status: DryRunStatus.Complete, tests, mutantCoverage: stryker.mutantCoverage};
  }

  async mutantRun({activeMutant, testFilter, hitLimit, sandboxFileName}) {
    stryker.hitLimit = hitLimit;
    stryker.hitCount = 0;
    stryker.activeMutant = activeMutant.id;
    const ids = this.#inOrder(testFilter ?? [...this.#collection.tests.keys()], sandboxFileName);
    try {
      for (const [i, id] of ids.entries()) {
        const failureMessage = await failure(this.#collection.tests.get(id));
        const tooOften = determineHitLimitReached(stryker.hitCount, hitLimit);
        if (tooOften) return tooOften;
        if (failureMessage === undefined) continue;
        await this.#demandClean(id);
        this.#noteKill(sandboxFileName, id);
        return {status: MutantRunStatus.Killed, killedBy: [id], failureMessage, nrOfTests: i + 1};
      }
      return {status: MutantRunStatus.Survived, nrOfTests: ids.length};
    } finally {
      stryker.activeMutant = undefined;
    }
  }

  /** A mutant may leave state in memory. Stryker then starts a new process, and runs the mutant again. */
  async #demandClean(id) {
    stryker.activeMutant = undefined;
    if (await failure(this.#collection.tests.get(id))) throw new Error(`fails without a mutant too: ${id}`);
  }

  #inOrder(ids, file) {
    const kills = this.#kills.get(file) ?? new Map();
    return ids.toSorted(
      (a, b) => (kills.get(b) ?? 0) - (kills.get(a) ?? 0) || (this.#ms.get(a) ?? 0) - (this.#ms.get(b) ?? 0),
    );
  }

  #noteKill(file, id) {
    const kills = this.#kills.get(file) ?? new Map();
    this.#kills.set(file, kills.set(id, (kills.get(id) ?? 0) + 1));
  }

  async dispose() {
    await this.#server?.close();
  }
}

async function failure(test) {
  try {
    await test.run();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const testApi = {
  name: 'test-api',
  enforce: 'pre',
  resolveId: id => (id === 'vitest' ? '\0vitest' : undefined),
  load: id => (id === '\0vitest' ? 'export const {describe, test, it, expect} = globalThis.testApi;' : undefined),
};

const create = options => new InProcessRunner(options);
create.inject = tokens(commonTokens.options);

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'in-process', create)];
