import type {ApiFront} from '../../src/sim/front.js';

/** Whether the suites run on a real API server, as `npm run test:apiserver` has it. */
export const onRealApi = process.env.KUBECTL_WIN_TEST_API === 'real';

/** What the clusters of tests are served by. Undefined: by the simulated API. */
export async function chosenApi(): Promise<ApiFront | undefined> {
  if (!onRealApi) return undefined;
  const {realApi} = await import('./real-api.js');
  return realApi();
}
