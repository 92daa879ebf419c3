import {rows} from '../../node/state.js';
import {createBridge, deleteBridge, isSavedBridge, readBridge} from '../ovs-rows.js';
import {type Host, StepError, type StepKind} from '../step.js';
import {serviceNamed} from './service.js';

/** Removes a bridge with its ports from the database. This needs ovsdb-server but not ovs-vswitchd. */
export const deleteBridgeStep: StepKind<'ovs.deleteBridge'> = {
  atBoot: true,
  inspect(host, {bridge}) {
    demandDatabase(host);
    const saved = readBridge(host.state, bridge);
    if (!saved) return {done: true, about: `The OVS database has no bridge ${bridge}.`};
    const about = `Bridge ${bridge} is in the OVS database, with ${saved.ports.length} ports.`;
    return {done: false, saved, about};
  },
  apply: ({state}, {bridge}) => deleteBridge(state, bridge),
  undo(host, _, saved) {
    // A bridge without a switch keeps ovs-vswitchd from starting; the agent recreates both.
    if (!isSavedBridge(saved) || !rows(host.state, 'vmSwitches').some(row => row.SwitchType === 'External')) return;
    demandDatabase(host);
    createBridge(host.state, saved);
  },
};

function demandDatabase({state}: Host): void {
  const failure = state.errors.ovs;
  if (failure) throw new StepError(failure.kind, failure.message);
  const service = serviceNamed(state, 'ovsdb-server');
  if (service && service.State !== 'Running') {
    throw new StepError('Failed', 'ovs-vsctl: unix:db.sock: database connection failed (No such file or directory)');
  }
}
