// Loaded into the measured program: writes its resource usage when it exits.
import {writeFileSync} from 'node:fs';

process.on('exit', () => {
  const {maxRSS, userCPUTime, systemCPUTime} = process.resourceUsage();
  writeFileSync(
    process.env.BENCH_USAGE,
    JSON.stringify({kib: maxRSS, processorMs: (userCPUTime + systemCPUTime) / 1000}),
  );
});
