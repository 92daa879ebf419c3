import {failSection, type NodeState, rows, setRows} from './state.js';
import {hyperVService} from './windows.js';

const message = 'CIM namespace root\\virtualization\\v2 does not exist: the Hyper-V role is not installed';

/** A node with only the Containers feature: HNS works, but switches cannot be listed. */
export function removeHyperV(state: NodeState): void {
  failSection(state, 'vmSwitches', 'NotInstalled', message);
  failSection(state, 'vmSwitchExtensions', 'NotInstalled', message);
  setRows(
    state,
    'services',
    rows(state, 'services').filter(service => service.Name !== hyperVService),
  );
  setRows(
    state,
    'windowsFeatures',
    rows(state, 'windowsFeatures').map(feature =>
      String(feature.Name).startsWith('Microsoft-Hyper-V') ? {...feature, InstallState: 'Disabled'} : feature,
    ),
  );
}
