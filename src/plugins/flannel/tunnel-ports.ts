import {windowsPort} from '../../checks/tunnel/vxlan.js';
import type {Fleet} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown, type Verdict} from '../../model/verdict.js';
import {clusterNetConfs} from './net-conf.js';
import {netConfPatch} from './patch.js';

/** The default port of flanneld on Linux (flannel pkg/backend/vxlan). */
const linuxDefault = 8472;

export function tunnelPorts({cluster}: Fleet): Verdict[] {
  const confs = clusterNetConfs(cluster).filter(({type}) => type === 'vxlan');
  if (confs.length === 0)
    return [unknown('No Flannel net-conf.json, which contains the port, was found in the cluster.')];
  const wrong = confs.filter(({port, forWindows}) => port !== windowsPort && !(forWindows && port === undefined));
  return wrong.map(conf => {
    const port = conf.port ?? linuxDefault;
    const unset = conf.port === undefined ? ' (the Linux default)' : '';
    return fail(
      `${conf.source} sets UDP port ${port}${unset} for VXLAN, but Windows uses only ${windowsPort}: packets are lost.`,
    )
      .because({
        section: 'cluster',
        object: conf.source,
        field: 'net-conf.json Backend.Port',
        seen: conf.port ?? null,
        expected: windowsPort,
      })
      .fixedBy(
        manual(
          netConfPatch(conf, cluster) ?? 'Set "Port": 4789 under Backend in net-conf.json.',
          'Restart flanneld on every node, and allow UDP 4789 between all nodes.',
        ),
      );
  });
}
