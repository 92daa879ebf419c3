import {networkVni} from '../../checks/tunnel/vxlan.js';
import type {SeenVni} from '../../model/across-nodes.js';
import type {Fleet} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {cniConfs, confType} from '../../snapshot/cni-conf.js';
import {felixVni} from './tunnel-facts.js';

export function seenVnis({cluster, subjects}: Fleet): SeenVni[] {
  return subjects.flatMap(subject => {
    const {node} = subject;
    const vni = felixVni(subject);
    const conf = cniConfs(node).find(candidate => confType(candidate) === 'calico');
    const confVni = conf?.plugins[0]?.vni;
    const env = cluster
      .all('DaemonSet')
      .filter(({metadata}) => metadata.name === 'calico-node-windows')
      .flatMap(({spec}) => spec.template.spec.containers.flatMap(container => container.env))
      .find(({name, value}) => name === 'VXLAN_VNI' && /^\d+$/.test(value ?? ''))?.value;
    const found = (value: number, section: string, object: string, field: string): SeenVni => ({
      vni: value,
      where: object,
      evidence: {section, object, field, seen: value, expected: 'the same value everywhere, 4096 or higher'},
    });
    return [
      found(vni, 'cluster', 'FelixConfiguration', 'vxlanVNI'),
      ...(env === undefined ? [] : [found(Number(env), 'cluster', 'DaemonSet calico-node-windows', 'VXLAN_VNI')]),
      ...(conf && confVni !== undefined ? [found(confVni, 'files', `${node.name}: ${conf.path}`, 'vxlan_vni')] : []),
      ...networkVni(subject),
    ];
  });
}

export const vniRemedy = manual(
  `kubectl patch felixconfiguration default --type merge -p '{"spec":{"vxlanVNI":4096}}'`,
  'Set VXLAN_VNI to 4096 for the Windows nodes too, and restart calico-node-windows.',
);
