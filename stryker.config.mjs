/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  testRunner: 'in-process',
  plugins: ['./scripts/mutants/in-process-runner.mjs'],
  // Stryker reads tsconfig.json with functions that TypeScript 7 no longer has. A name that no file has keeps it from that.
  tsconfigFile: 'no-tsconfig.json',
  // Words are for people, and a change of one is no fault. A missing `?.` the compiler reports.
  mutator: {excludedMutations: ['StringLiteral', 'OptionalChaining']},
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  timeoutMS: 30_000,
  concurrency: 1,
  reporters: ['json', 'progress-append-only'],
  tempDirName: '.stryker',
  warnings: {unknownOptions: false},
};
