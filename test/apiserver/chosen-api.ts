import {type ApiFront, simulatedApi} from '../../src/sim/front.js';
import {checkSchema} from '../sim/schema.js';
import {findBinaries} from './binaries.js';

/** Whether the suites run on a real API server, as `npm run test:apiserver` has it. */
export const onRealApi = process.env.KUBECTL_WIN_TEST_API === 'real';

/** Whether nothing keeps the books that only kube-controller-manager keeps, such as those of quotas. */
export const lacksControllers = onRealApi && !hasControllerManager();

function hasControllerManager(): boolean {
  const binaries = findBinaries();
  return !('missing' in binaries) && binaries.controllerManager !== undefined;
}

/** What the clusters of tests are served by: the simulated API, which checks objects against their schemas here. */
export async function chosenApi(): Promise<ApiFront> {
  if (!onRealApi) return simulatedApi(checkSchema);
  const {realApi} = await import('./real-api.js');
  return realApi();
}
