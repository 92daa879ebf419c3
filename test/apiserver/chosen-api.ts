import {type ApiFront, simulatedApi} from '../../src/sim/front.js';
import {checkSchema} from '../sim/schema.js';

/** Whether the suites run on a real API server, as `npm run test:apiserver` has it. */
export const onRealApi = process.env.KUBECTL_WIN_TEST_API === 'real';

/** What the clusters of tests are served by: the simulated API, which checks objects against their schemas here. */
export async function chosenApi(): Promise<ApiFront> {
  if (!onRealApi) return simulatedApi(checkSchema);
  const {realApi} = await import('./real-api.js');
  return realApi();
}
