import {defineConfig} from 'vitest/config';
import {viteTextModules} from './scripts/text-modules.mjs';

export default defineConfig({
  plugins: [viteTextModules],
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    disableConsoleIntercept: true,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
});
