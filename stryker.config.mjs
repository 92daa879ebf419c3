/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  testRunner: 'in-process',
  plugins: ['./scripts/mutants/in-process-runner.mjs'],
  // Stryker reads tsconfig.json with functions that TypeScript 7 no longer has. A file that does not exist prevents
  // that.
  tsconfigFile: 'no-tsconfig.json',
  // Wording is not tested. The compiler reports a missing `?.`.
  mutator: {excludedMutations: ['StringLiteral', 'OptionalChaining']},
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  timeoutMS: 30_000,
  reporters: ['json', 'progress-append-only'],
  tempDirName: '.stryker',
  warnings: {unknownOptions: false},
};
