import {type ApiFront, simulatedApi} from '../../src/sim/front.js';
import {checkSchema} from '../sim/schema.js';
import {findBinaries} from './binaries.js';

/** Whether the suites run against a real API server (`npm run test:apiserver`). */
export const onRealApi = process.env.KUBECTL_WIN_TEST_API === 'real';

/** Whether nothing maintains the status that only kube-controller-manager maintains, such as that of quotas. */
export const lacksControllers = onRealApi && !hasControllerManager();

function hasControllerManager(): boolean {
  const binaries = findBinaries();
  return !('missing' in binaries) && binaries.controllerManager !== undefined;
}

/** The API of the test clusters: the simulated API, which validates objects against their schemas here. */
export async function chosenApi(): Promise<ApiFront> {
  if (!onRealApi) return simulatedApi(checkSchema);
  const {realApi} = await import('./real-api.js');
  return realApi();
}
