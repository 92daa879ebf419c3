import {defineConfig} from 'vitest/config';
import {viteTextModules} from '../../scripts/text-modules.mjs';

export default defineConfig({
  plugins: [viteTextModules],
  test: {include: ['test/package/**/*.release.ts'], testTimeout: 120_000, hookTimeout: 120_000, maxWorkers: 1},
});
