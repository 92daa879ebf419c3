import type {JsonObject} from '../json.js';
import type {Random} from '../random.js';
import type {Extension} from './hns.js';

export interface SwitchPlan {
  name: string;
  /** The description of its uplink; missing for an internal switch. */
  uplink?: string;
  extensions: readonly Extension[];
}

/** Virtual switches and their extensions, as listed by Hyper-V. */
export function switchSections(switches: readonly SwitchPlan[], random: Random): JsonObject {
  const made = switches.map(plan => ({...plan, id: random.uuid()}));
  return {
    vmSwitches: made.map(({name, id, uplink}) => ({
      Name: name,
      Id: id,
      SwitchType: uplink ? 'External' : 'Internal',
      NetAdapterInterfaceDescription: uplink ?? null,
      AllowManagementOS: true,
      SoftwareRscEnabled: true,
    })),
    vmSwitchExtensions: made.flatMap(({name, id, extensions}) =>
      extensions.map(extension => ({
        SwitchName: name,
        SwitchId: id,
        Id: extension.id,
        Name: extension.name,
        ExtensionType: extension.type,
        Enabled: extension.enabled,
        Running: true,
      })),
    ),
  };
}
