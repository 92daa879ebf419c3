// Loaded into the program that is measured: when it ends, it writes down what it took.
import {writeFileSync} from 'node:fs';

process.on('exit', () => {
  const {maxRSS, userCPUTime, systemCPUTime} = process.resourceUsage();
  writeFileSync(
    process.env.BENCH_USAGE,
    JSON.stringify({kib: maxRSS, processorMs: (userCPUTime + systemCPUTime) / 1000}),
  );
});
