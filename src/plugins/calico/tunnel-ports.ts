import {windowsPort} from '../../checks/tunnel/vxlan.js';
import type {Fleet} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, type Verdict} from '../../model/verdict.js';
import {felixSetting} from './resources.js';

export function tunnelPorts({cluster}: Fleet): Verdict[] {
  const port = felixSetting(cluster, undefined, 'vxlanPort');
  if (typeof port !== 'number' || port === windowsPort) return [];
  return [
    fail(`Calico is configured with UDP port ${port} for VXLAN, but Windows nodes use ${windowsPort}.`)
      .because({
        section: 'cluster',
        object: 'FelixConfiguration default',
        field: 'spec.vxlanPort',
        seen: port,
        expected: windowsPort,
      })
      .fixedBy(
        manual(
          `kubectl patch felixconfiguration default --type merge -p '{"spec":{"vxlanPort":${windowsPort}}}'`,
          'Allow UDP 4789 between all nodes.',
        ),
      ),
  ];
}
