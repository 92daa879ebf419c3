import {at, type JsonObject} from '../../json.js';
import {editRows} from '../../node/edit.js';
import {ovsExtension} from '../../node/hns.js';
import {HostNetwork} from '../../node/host-network.js';
import {type NodeState, rows} from '../../node/state.js';
import {loseAdapters} from '../../node/switch.js';
import {dropSwitch, hostPort, restoreNicName, setExtension} from '../consequences.js';
import {networkOn} from '../leftovers.js';
import {bridges} from '../ovs-rows.js';
import {adapterNamed} from '../saved-network.js';
import {blocked, type Host, StepError, type StepKind, same} from '../step.js';

export const removeSwitchStep: StepKind<'vswitch.remove'> = {
  atBoot: false,
  inspect({state}, {name}) {
    demandHyperV(state);
    const found = rows(state, 'vmSwitches').find(row => same(row.Name, name));
    if (!found) return {done: true, about: `Switch ${name} does not exist.`};
    const using = networkOn(state, found);
    return {
      done: false,
      about: `Switch ${name} exists.`,
      ...(using && {blocked: `HNS network ${using.Name} still uses the switch.`}),
    };
  },
  apply: ({state}, {name}) => dropSwitch(state, name),
  undo: 'none',
};

export const setExtensionStep: StepKind<'vswitch.setExtension'> = {
  atBoot: false,
  inspect({state}, {switchName, extensionId, enabled}) {
    demandHyperV(state);
    const extension = extensionOn(state, switchName, extensionId);
    if (!extension) return blocked(`Switch ${switchName} has no extension ${extensionId}.`);
    const isOn = extension.Enabled === true;
    return {
      done: isOn === enabled,
      saved: {enabled: isOn},
      about: `Extension ${extension.Name} of switch ${switchName} is enabled: ${isOn ? 'True' : 'False'}.`,
    };
  },
  apply({state}, {switchName, extensionId, enabled}) {
    const extension = extensionOn(state, switchName, extensionId);
    if (extension) setExtension(state, extension, enabled);
  },
  undo({state}, {switchName, extensionId}, saved) {
    const extension = extensionOn(state, switchName, extensionId);
    if (saved == null || !extension) return;
    const wasOn = at(saved, 'enabled') === true;
    // OVS without a bridge and a daemon with flows blocks all traffic, so it stays disabled.
    if (wasOn && same(extensionId, ovsExtension) && !forwards(state)) return;
    setExtension(state, extension, wasOn);
  },
};

const forwards = (state: NodeState): boolean =>
  bridges(state).length > 0 && rows(state, 'processes').some(({Name}) => same(Name, 'ovs-vswitchd.exe'));

export const extensionOn = (state: NodeState, switchName: string, id: string): JsonObject | undefined =>
  rows(state, 'vmSwitchExtensions').find(row => same(row.SwitchName, switchName) && same(row.Id, id));

export const removeNicStep: StepKind<'vnic.remove'> = {
  atBoot: false,
  inspect({state}, {switchName, name}) {
    demandHyperV(state);
    if (!same(hostPort(state, switchName), name))
      return {done: true, about: `Switch ${switchName} has no vNIC ${name}.`};
    const macAddress = adapterNamed(state, name)?.MacAddress ?? null;
    return {done: false, saved: {macAddress}, about: `vNIC ${name} is on switch ${switchName}.`};
  },
  apply({state}, {switchName, name}) {
    admitHost(state, switchName, false);
    loseAdapters(state, adapter => same(adapter.Name, name));
  },
  undo(host, {switchName, name}, saved) {
    const {state} = host;
    // The undo of the network may have ended with the plain NIC.
    if (saved == null || adapterNamed(state, name) || !hasSwitch(state, switchName)) return;
    const mac = at(saved, 'macAddress');
    // The undo of the network may have created a vNIC with the default name.
    if (!restoreNicName(state, name, mac)) addNic(host, switchName, name, String(mac));
  },
};

const hasSwitch = (state: NodeState, name: string): boolean =>
  rows(state, 'vmSwitches').some(row => same(row.Name, name));

function addNic({state, random}: Host, switchName: string, name: string, mac: string): void {
  admitHost(state, switchName, true);
  const network = new HostNetwork(random, state);
  network.adapter({
    name,
    description: 'Hyper-V Virtual Ethernet Adapter',
    index: network.nextIndex(),
    mac: mac.replaceAll('-', ':').toLowerCase(),
    mtu: 1500,
    dhcp: true,
  });
  Object.assign(state.sections, network.sections());
}

function admitHost(state: NodeState, switchName: string, admitted: boolean): void {
  editRows(
    state,
    'vmSwitches',
    row => same(row.Name, switchName),
    () => ({AllowManagementOS: admitted}),
  );
}

function demandHyperV({errors}: NodeState): void {
  if (errors.vmSwitches) throw new StepError(errors.vmSwitches.kind, errors.vmSwitches.message);
}
